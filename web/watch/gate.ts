import type { GateData } from '#contract/watch-page.ts'

const byId = (id: string) => document.getElementById(id)
const source = byId('gate')?.textContent
/** Where the console keeps its session, in the same browser. What the page of a video imports is left alone: it would become a file more. */
const consoleKey = 'persist:auth'
/** When this tab was let in last, so that a browser that keeps no cookie does not load the page for ever. */
const enteredKey = 'watching'
const patienceMs = 10_000

type Answer = { status: 'recipient' } | { status: 'other'; name: string } | { status: 'nobody' }

// Written into the page by our own server.
if (source) void enter(JSON.parse(source) as GateData)

/** Opens the video where its recipient is signed in to the console already, and says so where somebody else is. */
async function enter(data: GateData): Promise<void> {
  const { address, texts } = data
  const token = consoleToken()
  if (token === undefined) return
  const answer = await ask(data, token).catch(() => undefined)
  if (!answer) tell(texts.failed)
  else if (answer.status === 'other') offerChange(data, { token, name: answer.name })
  else if (answer.status === 'recipient' && hasJustEntered()) tell(texts.cookies)
  else if (answer.status === 'recipient') {
    sessionStorage.setItem(enteredKey, String(Date.now()))
    location.replace(address)
  }
}

async function ask({ link }: GateData, token: string): Promise<Answer> {
  const answer = await post('/api/tracks/watcher', { token, body: { link } })
  if (!answer.ok) throw new Error('not answered')
  return (await answer.json()) as Answer
}

function offerChange({ signIn, texts }: GateData, { token, name }: { token: string; name: string }): void {
  const change = byId('change')
  tell(texts.other.replace('{name}', () => name))
  byId('sign-in')?.setAttribute('hidden', '')
  if (!change) return
  change.hidden = false
  change.addEventListener('click', () => {
    // Whoever cannot be signed out on the server is not left signed in here.
    const leave = () => {
      forgetConsole()
      location.assign(signIn)
    }
    post('/api/auth/logout', { token, body: {} }).then(leave, leave)
  })
}

/** Where storage is forbidden, the console keeps nothing either. */
function consoleToken(): string | undefined {
  try {
    const { token } = JSON.parse(localStorage.getItem(consoleKey) ?? '{}') as { token?: unknown }
    return typeof token === 'string' ? token : undefined
  } catch {
    return undefined
  }
}

/** The same as if somebody had signed out in the console, whose other tabs hear of it. */
const forgetConsole = (): void =>
  localStorage.setItem(consoleKey, JSON.stringify({ token: null, user: null, isAuthenticated: false }))

function tell(text: string): void {
  const told = byId('told')
  if (!told) return
  told.textContent = text
  told.hidden = false
}

const hasJustEntered = () => Date.now() - Number(sessionStorage.getItem(enteredKey) ?? 0) < patienceMs

/** Whoever watches is not at the console, and keeps no session of it open. */
function post(path: string, { token, body }: { token: string; body: object }): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-idle': '1' },
    body: JSON.stringify(body),
  })
}
