import { sayOf } from './words.ts'

const say = sayOf('ownData')

export type OwnDataOptions = {
  /** Makes way for what it opens. */
  button: HTMLElement
  playToken: string
  /** They came by a personal link. */
  isPersonal: boolean
  organization: string
}

const failures: Record<number, string> = {
  401: say('wrongCode'),
  403: say('tooOld'),
  410: say('ended'),
  429: say('tooOften'),
}

/** What is kept about whoever sits in front of the page: what that is in plain words, and the file with it. */
export function showOwnData(options: OwnDataOptions): void {
  const { button } = options
  const panel = element('section', { class: 'panel', 'aria-labelledby': 'own-title' })
  const heading = element('h2', { id: 'own-title', tabindex: '-1' }, say('title'))
  const status = element('p', { role: 'status' })
  const close = element('button', { type: 'button' }, say('close'))
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
  const ask = element('button', { type: 'button' }, say('mailCode'))
  const input = document.createElement('input')
  Object.assign(input, { inputMode: 'numeric', autocomplete: 'one-time-code', maxLength: 6 })
  let flow = ''
  const field = element('label', {}, `${say('code')} `, input)
  const download = downloadButton({ options, status }, () => ({ code: input.value.trim(), flow }))
  const send = async () => {
    const answer = await post('/code', { playToken: options.playToken }).catch(() => undefined)
    if (!answer?.ok) {
      status.textContent = failures[answer?.status ?? 0] ?? say('failed')
      return
    }
    const sent = (await answer.json()) as { flowToken: string; maskedDestination: string; rests: boolean }
    flow = sent.flowToken
    status.textContent = sent.rests
      ? say('rests', { organization: options.organization })
      : say('sent', { address: sent.maskedDestination })
    ask.textContent = say('mailAnother')
    steps.prepend(field, download)
    input.focus()
  }
  ask.addEventListener('click', () => void send())
  return ask
}

function downloadButton({ options, status }: Omit<Panel, 'steps'>, proofOf: () => Proof): HTMLElement {
  const download = element('button', { type: 'button' }, say('download'))
  download.addEventListener('click', () => void save({ options, status, download }, proofOf()))
  return download
}

function wordsFor({ isPersonal, organization }: OwnDataOptions): string[] {
  const what = say(isPersonal ? 'whatOfPerson' : 'whatOfVisit', { organization })
  return [what, `${say('file')} ${say(isPersonal ? 'keepIt' : 'visitEnds')}`]
}

type Saving = Omit<Panel, 'steps'> & { download: HTMLElement }

async function save({ options, status, download }: Saving, proof: Proof): Promise<void> {
  if (download.ariaBusy === 'true') return
  download.ariaBusy = 'true'
  status.textContent = say('gathering')
  const found = await fetchFile(options.playToken, proof).catch(() => 0)
  download.ariaBusy = null
  if (typeof found === 'number') {
    status.textContent = failures[found] ?? say('failed')
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(found)
  link.download = `${say('fileName')}-${new Date().toLocaleDateString('en-CA', { dateStyle: 'short' })}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  status.textContent = say('downloaded')
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
