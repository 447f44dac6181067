export type OwnDataOptions = {
  /** Makes way for what it opens. */
  button: HTMLElement
  playToken: string
  /** They came by a personal link. */
  isPersonal: boolean
  organization: string
}

const failures: Record<number, string> = {
  401: 'This page is not valid any more. Reload it, then try again.',
  410: 'This link has ended, so nothing is handed out here any more. Please ask the sender for your data.',
  429: 'You have just downloaded it a few times. Please try again in a minute.',
}

/** What is kept about whoever sits in front of the page: what that is in plain words, and the file with it. */
export function showOwnData(options: OwnDataOptions): void {
  const { button } = options
  const panel = element('section', { class: 'panel', 'aria-labelledby': 'own-title' })
  const heading = element('h2', { id: 'own-title', tabindex: '-1' }, 'Your data')
  const status = element('p', { role: 'status' })
  const download = element('button', { type: 'button' }, 'Download your data')
  const close = element('button', { type: 'button' }, 'Close')
  download.addEventListener('click', () => void save(options, download, status))
  close.addEventListener('click', () => {
    panel.replaceWith(button)
    button.focus()
  })
  const texts = wordsFor(options).map((text) => element('p', {}, text))
  panel.append(heading, ...texts, element('div', {}, download, close), status)
  button.replaceWith(panel)
  heading.focus()
}

function wordsFor({ isPersonal, organization }: OwnDataOptions): string[] {
  const what = isPersonal
    ? `You can download what ${organization} keeps about you from the videos that were sent to you: the messages, what you watched and when, your answers, your certificates, and the texts that stood above the player.`
    : `You came without a personal link, so ${organization} does not know your name. You can download what is kept of this visit: what you watched and when, and your answers.`
  const rest = isPersonal
    ? 'That you have downloaded it is written down. Keep the file to yourself, like your personal link.'
    : 'Once you close this page, nobody can tell any more which visit was yours.'
  return [what, `It is one file of text (JSON), which every editor opens. ${rest}`]
}

async function save({ playToken }: OwnDataOptions, button: HTMLElement, status: HTMLElement): Promise<void> {
  if (button.ariaBusy === 'true') return
  button.ariaBusy = 'true'
  status.textContent = 'Your data is being put together…'
  const found = await fetchFile(playToken).catch(() => 0)
  button.ariaBusy = null
  if (typeof found === 'number') {
    status.textContent = failures[found] ?? 'That did not work. Please try again.'
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(found)
  link.download = `your-data-${new Date().toISOString().slice(0, 10)}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  status.textContent = 'Downloaded. What you have just watched is in it a few seconds later.'
}

/** The file, or the status of the refusal. */
async function fetchFile(playToken: string): Promise<Blob | number> {
  const answer = await fetch('/api/tracks/own-data', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ playToken }),
  })
  return answer.ok ? answer.blob() : answer.status
}

function element(
  tag: string,
  attributes: Record<string, string>,
  ...children: (Node | string)[]
): HTMLElement {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}
