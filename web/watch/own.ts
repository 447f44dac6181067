export type OwnDataOptions = {
  /** Makes way for what it opens. */
  button: HTMLElement
  playToken: string
  /** They came by a personal link. */
  isPersonal: boolean
  organization: string
}

const failures: Record<number, string> = {
  401: 'This code is not right. Look at the newest mail, and type it again.',
  403: 'This page is not valid any more. Reload it, then try again.',
  410: 'The code is too old, or this link has ended. Ask for another code, or ask the sender for your data.',
  429: 'You have just tried this a few times. Please try again in a few minutes.',
}

/** What is kept about whoever sits in front of the page: what that is in plain words, and the file with it. */
export function showOwnData(options: OwnDataOptions): void {
  const { button } = options
  const panel = element('section', { class: 'panel', 'aria-labelledby': 'own-title' })
  const heading = element('h2', { id: 'own-title', tabindex: '-1' }, 'Your data')
  const status = element('p', { role: 'status' })
  const close = element('button', { type: 'button' }, 'Close')
  close.addEventListener('click', () => {
    panel.replaceWith(button)
    button.focus()
  })
  const texts = wordsFor(options).map((text) => element('p', {}, text))
  const steps = element('div', {})
  if (options.isPersonal) steps.append(askButton({ options, steps, status }))
  else steps.append(downloadButton({ options, status }, () => null))
  steps.append(close)
  panel.append(heading, ...texts, steps, status)
  button.replaceWith(panel)
  heading.focus()
}

type Panel = { options: OwnDataOptions; steps: HTMLElement; status: HTMLElement }
type Proof = { code: string; flow: string } | null

/** A code goes to the person's mailbox; then it is typed here. */
function askButton({ options, steps, status }: Panel): HTMLElement {
  const ask = element('button', { type: 'button' }, 'Mail me a code')
  const input = document.createElement('input')
  Object.assign(input, { inputMode: 'numeric', autocomplete: 'one-time-code', maxLength: 6 })
  let flow = ''
  const field = element('label', {}, 'Code ', input)
  const download = downloadButton({ options, status }, () => ({ code: input.value.trim(), flow }))
  const send = async () => {
    const answer = await post('/code', { playToken: options.playToken }).catch(() => undefined)
    if (!answer?.ok) {
      status.textContent = failures[answer?.status ?? 0] ?? 'That did not work. Please try again.'
      return
    }
    const sent = (await answer.json()) as { flowToken: string; maskedDestination: string; rests: boolean }
    flow = sent.flowToken
    status.textContent = sent.rests
      ? `This installation sends no mail yet, so your code stays with it. Please ask ${options.organization} for it; it is good for ten minutes.`
      : `A code was written to ${sent.maskedDestination}. It is good for ten minutes.`
    ask.textContent = 'Mail me another code'
    steps.prepend(field, download)
    input.focus()
  }
  ask.addEventListener('click', () => void send())
  return ask
}

function downloadButton({ options, status }: Omit<Panel, 'steps'>, proofOf: () => Proof): HTMLElement {
  const download = element('button', { type: 'button' }, 'Download your data')
  download.addEventListener('click', () => void save({ options, status, download }, proofOf()))
  return download
}

function wordsFor({ isPersonal, organization }: OwnDataOptions): string[] {
  const what = isPersonal
    ? `You can download what ${organization} keeps about you from the videos that were sent to you: the messages, what you watched and when, your answers, your certificates, and the texts that stood above the player. A code for your email address shows that it is you.`
    : `You came without a personal link, so ${organization} does not know your name. You can download what is kept of this visit: what you watched and when, and your answers.`
  const rest = isPersonal
    ? 'That you have downloaded it is written down. Keep the file to yourself, like your personal link.'
    : 'Once you close this page, nobody can tell any more which visit was yours.'
  return [what, `It is one file of text (JSON), which every editor opens. ${rest}`]
}

type Saving = Omit<Panel, 'steps'> & { download: HTMLElement }

async function save({ options, status, download }: Saving, proof: Proof): Promise<void> {
  if (download.ariaBusy === 'true') return
  download.ariaBusy = 'true'
  status.textContent = 'Your data is being put together…'
  const found = await fetchFile(options.playToken, proof).catch(() => 0)
  download.ariaBusy = null
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
async function fetchFile(playToken: string, proof: Proof): Promise<Blob | number> {
  const answer = await post('', { playToken, ...(proof && { code: proof.code }) }, proof?.flow)
  return answer.ok ? answer.blob() : answer.status
}

function post(path: string, body: object, flow?: string): Promise<Response> {
  return fetch(`/api/tracks/own-data${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(flow ? { 'x-auth-flow': flow } : {}) },
    body: JSON.stringify(body),
  })
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
