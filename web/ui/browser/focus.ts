const reachable =
  ':is(button, a[href], input, select, textarea):not([disabled], [aria-disabled="true"], [tabindex="-1"])'

/**
 * Remembers the row or list item that something was asked about, and returns the way back: to the control that
 * was pressed, else to its row, else to the row that took its place, else to the heading of the page. Where the row
 * leaves its list afterwards, the way goes on.
 */
export function rememberPlace(pressed: Element | null): () => void {
  const row = pressed?.closest('tr, li') ?? null
  const rows = [row, row?.nextElementSibling, row?.previousElementSibling]
  const heading = pressed?.closest('dialog')?.querySelector('h2') ?? null
  function goBack() {
    const candidates = [
      pressed?.isConnected ? pressed : null,
      ...rows.map((one) => (one?.isConnected ? lastControl(one) : null)),
      heading?.isConnected ? heading : null,
      document.querySelector('main h1'),
    ]
    const place = candidates.find((one) => one instanceof HTMLElement)
    if (place && place === heading) place.tabIndex = -1
    place?.focus({ preventScroll: true })
    if (place && row?.contains(place)) whenLost(place, goBack)
  }
  return goBack
}

/**
 * A row may leave its list after the dialog about it has closed, and takes the focus with it: then `goOn` is called
 * once. Whoever has moved the focus themselves by then is left where they are.
 */
function whenLost(place: HTMLElement, goOn: () => void) {
  const leaving = new MutationObserver(() => {
    const here = document.activeElement
    if (place.isConnected && here === place) return
    leaving.disconnect()
    if (!place.isConnected && (here === null || here === document.body)) goOn()
  })
  leaving.observe(document.body, { childList: true, subtree: true })
}

/** Buttons of a row stand at its end. */
function lastControl(row: Element): Element | null {
  return [...row.querySelectorAll(reachable)].at(-1) ?? null
}
