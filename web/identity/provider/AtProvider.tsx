import { useEffect, useState } from 'react'
import { signInFaultWords } from '#contract/identity/sso-words.ts'
import type {
  beginProof,
  ConnectionChoice,
  exchangeSso,
  findConnections,
} from '#contract/identity/sso-sign-in.ts'
import { call } from '#web/api/client.ts'
import { explain, type Explanation } from '#web/api/errors.ts'
import { tellWindows } from '#web/api/otherWindow.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { Notice } from '../fields.tsx'
import { Card, PageLink } from '../Frame.tsx'
import { goTo } from '../navigate.ts'
import { goOn } from '../onwards.ts'
import { useFirstFocus } from '../useFirstFocus.ts'
import { journey } from './journey.ts'
import classes from '../public.module.css'

type State =
  | { is: 'leaving' | 'proved' | 'tried' }
  | { is: 'choosing'; choices: readonly ConnectionChoice[] }
  | { is: 'refused'; why: string }
  | { is: 'failed'; failed: Explanation }

/** What the address asks for: to complete what the provider has answered, to say why it was refused, or to go there. */
async function follow(): Promise<State | undefined> {
  const asked = new URLSearchParams(location.search)
  const flow = asked.get('flow')
  const fault = asked.get('fault')
  const connection = asked.get('prove')
  if (flow !== null) return complete(flow)
  if (fault !== null) return refused(fault)
  if (connection !== null) return prove(connection)
  return find(session.read().authIdentifier, asked.get('return'))
}

function refused(fault: string): State {
  tellWindows({ kind: 'refused' })
  const words: Record<string, string> = signInFaultWords
  const known = Object.hasOwn(words, fault) ? words[fault] : undefined
  return {
    is: 'refused',
    why:
      known ??
      'Your company’s sign-in was refused. Please try again, and tell your administrator if it stays so.',
  }
}

async function complete(flow: string): Promise<State | undefined> {
  const answer = await call<typeof exchangeSso>(
    { method: 'POST', path: '/auth/sso/exchange' },
    { body: { flow } },
  )
  const { back, isWindow } = journey.read()
  if (answer.status === 'tried') {
    tellWindows({ kind: 'tried' })
    return { is: 'tried' }
  }
  if (answer.status === 'reauthenticated') {
    session.apply({ type: 'token-set', token: answer.token })
    tellWindows({ kind: 'proved', token: answer.token })
    if (isWindow) return { is: 'proved' }
    location.replace(back)
    return undefined
  }
  // The one-time address is of no use to anybody any more, and the steps that follow read where to go on.
  history.replaceState(null, '', paths.atProvider(back))
  goOn(answer)
  return undefined
}

/** In a window of its own: the page that asks for the proof stays as it is. */
async function prove(connectionId: string): Promise<undefined> {
  journey.begin({ back: paths.dashboard(), isWindow: true })
  const { url } = await call<typeof beginProof>(
    { method: 'POST', path: '/auth/proof' },
    { body: { connectionId } },
  )
  location.replace(url)
}

async function find(identifier: string | null, back: string | null): Promise<State | undefined> {
  if (identifier === null) {
    goTo(paths.signIn(back ?? undefined))
    return undefined
  }
  const { connections } = await call<typeof findConnections>(
    { method: 'POST', path: '/auth/sso/find' },
    { body: { identifier } },
  )
  const [first, second] = connections
  if (second) return { is: 'choosing', choices: connections }
  if (first) enter(first.id)
  else goTo(paths.loginPassword() + location.search)
  return undefined
}

/** Leaves for the provider, which need not ask for the address again. */
function enter(connectionId: string): void {
  journey.begin({ back: new URLSearchParams(location.search).get('return') ?? '', isWindow: false })
  const hint = session.read().authIdentifier ?? ''
  location.assign(`/api/auth/sso/${encodeURIComponent(connectionId)}?hint=${encodeURIComponent(hint)}`)
}

/** Between the pages of this product and those of a company's own sign-in, on the way there and back. */
export function AtProvider() {
  const [state, setState] = useState<State>({ is: 'leaving' })
  useEffect(() => {
    void follow()
      .catch((error: unknown): State => {
        tellWindows({ kind: 'refused' })
        return { is: 'failed', failed: explain(error) }
      })
      .then((found) => setState((before) => found ?? before))
  }, [])
  switch (state.is) {
    case 'choosing':
      return <Choosing choices={state.choices} />
    case 'refused':
      return <Refused why={state.why} />
    case 'failed':
      return <Refused title={state.failed.title} why={state.failed.detail} />
    case 'proved':
      return (
        <Finished title="It is you" lead="What you were doing goes on in the window that you came from." />
      )
    case 'tried':
      return (
        <Finished
          title="The trial has come back"
          lead="Nobody was signed in by it. What it found stands in the window that you came from."
        />
      )
    case 'leaving':
      return (
        <Card title="One moment, please" lead={<span role="status">Your company’s sign-in is asked…</span>} />
      )
  }
}

function Choosing({ choices }: { choices: readonly ConnectionChoice[] }) {
  useFirstFocus()
  const identifier = session.read().authIdentifier
  return (
    <Card
      title="How do you sign in?"
      lead={
        <>
          For <strong>{identifier}</strong> there are several ways.
        </>
      }
      foot={
        <>
          Not you? <PageLink to={paths.signIn()}>Use another address</PageLink>
        </>
      }
    >
      {choices.map(({ id, name, organization }) => (
        <button key={id} type="button" className={classes.button} onClick={() => enter(id)}>
          {organization === null ? `Continue with ${name}` : `Continue with ${name}, for ${organization}`}
        </button>
      ))}
      {choices.some(({ isRequired }) => !isRequired) && (
        <PageLink to={paths.loginPassword() + location.search} className={classes.button} isQuiet>
          Use a password
        </PageLink>
      )}
    </Card>
  )
}

function Refused({ title, why }: { title?: string; why: string }) {
  useFirstFocus()
  const [{ back, isWindow }] = useState(() => journey.read())
  return (
    <Card title={isWindow ? 'This was not confirmed' : 'You were not signed in'}>
      <Notice title={title}>{why}</Notice>
      {isWindow ? (
        <Close />
      ) : (
        <PageLink to={paths.signIn(back)} className={classes.button}>
          Back to sign-in
        </PageLink>
      )}
    </Card>
  )
}

function Finished({ title, lead }: { title: string; lead: string }) {
  useFirstFocus()
  // A browser that does not let a page close its window leaves that to its reader.
  useEffect(() => window.close(), [])
  return (
    <Card title={title} lead={<span role="status">{lead}</span>}>
      <Close />
    </Card>
  )
}

function Close() {
  return (
    <button type="button" className={classes.button} onClick={() => window.close()}>
      Close this window
    </button>
  )
}
