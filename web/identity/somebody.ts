/** Milliseconds after which a page that nobody has touched goes on by itself: it has long been painted then. */
const patience = 2_000
const signs = ['pointerdown', 'pointermove', 'keydown', 'focusin'] as const

/** Calls back once somebody is there: at the first sign of a person, else after a while. */
export function whenSomebodyIsThere(begin: () => void): () => void {
  const stop = () => {
    clearTimeout(timer)
    for (const sign of signs) removeEventListener(sign, once)
  }
  const once = () => {
    stop()
    begin()
  }
  const timer = setTimeout(once, patience)
  for (const sign of signs) addEventListener(sign, once, { passive: true })
  return stop
}
