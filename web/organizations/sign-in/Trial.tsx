import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import type { Claim, Connection, Finding, tryConnection } from '#contract/identity/sso.ts'
import { signInFaultWords, trialFaultWords, trialStepWords } from '#contract/identity/sso-words.ts'
import { trialSteps } from '#contract/identity/sso-faults.ts'
import { sentence } from '#web/api/errors.ts'
import { hearWindows } from '#web/api/otherWindow.ts'
import { refreshAll, useChange } from '#web/api/query.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import { Lines } from '#web/ui/Lines.tsx'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { callsOf, type Owner } from './calls.ts'
import type { useConnectionForm } from './useConnectionForm.ts'
import classes from './SignIn.module.css'

type Props = {
  owner: Owner
  connection: Connection
  edited: ReturnType<typeof useConnectionForm>
  /** A window is open in which somebody signs in for trial. */
  onWaiting: (isWaiting: boolean) => void
}

type Answer = Reply<typeof tryConnection>

/** What of the form is tried in place of what is saved. */
function typed({ form: { values }, layout }: Props['edited']) {
  if (!layout.isDirty) return {}
  const { issuer, clientId, clientSecret } = values
  return { issuer, clientId, ...(clientSecret ? { clientSecret } : {}) }
}

/** Tries a connection before anybody depends on it: first what can be seen from here, then a sign-in that lets nobody in. */
export function Trial({ owner, connection, edited, onWaiting }: Props) {
  const calls = callsOf(owner)
  const trial = useChange(calls.try, [calls.read])
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [place, setWindow] = useState<'none' | 'open' | 'stopped' | 'back'>('none')
  useEffect(
    () =>
      hearWindows(({ kind }) => {
        if (kind === 'proved') return
        setWindow('back')
        onWaiting(false)
        void refreshAll([calls.read])
      }),
    [calls, onWaiting],
  )
  const tryIt = () => {
    setAnswer(null)
    setWindow('none')
    const params = { orgId: owner ?? '', connectionId: connection.id }
    trial.mutate({ params, body: typed(edited) }, { onSuccess: setAnswer })
  }
  const go = (address: string) => {
    const opened = window.open(address, '_blank', 'popup,width=560,height=720')
    setWindow(opened === null ? 'stopped' : 'open')
    onWaiting(opened !== null)
  }
  const isBack = answer === null || place === 'back'
  const findings = seenSoFar(answer?.findings ?? [], isBack ? (connection.trial?.findings ?? []) : [])
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="trial">
      <header className={shapes.spaceBetween}>
        <h2 id="trial">Try it</h2>
        <Button variant="default" loading={trial.isPending} onClick={tryIt}>
          {findings.length > 0 ? 'Try it again' : 'Try it'}
        </Button>
      </header>
      <p>
        Looks whether the provider knows this console, then lets you sign in there for trial. Nobody is let in
        by it, and nothing is changed.
      </p>
      <div role="status" className={shapes.stack}>
        {trial.isPending && <p>The provider is asked…</p>}
        {trial.error && <Notice tone="danger">{sentence(trial.error)}</Notice>}
        {!trial.isPending && findings.length > 0 && <Findings findings={findings} />}
        {answer?.trialUrl && (place === 'none' || place === 'stopped') && (
          <Notice
            tone="info"
            action={
              <Button onClick={() => answer.trialUrl !== null && go(answer.trialUrl)}>
                Sign in for trial
              </Button>
            }
          >
            {place === 'stopped'
              ? 'Your browser did not open the window. Allow windows for this page, then press again.'
              : 'So far, so good. Now sign in at your provider, in a window of its own.'}
          </Notice>
        )}
        {place === 'open' && <p>Waiting for the other window…</p>}
      </div>
      {isBack && connection.trial && (
        <>
          <p className={shapes.hint}>
            Tried <RelativeTime iso={connection.trial.at} />
            {connection.trial.by !== null && ` by ${connection.trial.by}`}
          </p>
          {connection.trial.claims.length > 0 && (
            <Claims claims={connection.trial.claims} edited={owner === null ? null : edited} />
          )}
        </>
      )}
    </section>
  )
}

/** Every step, once anything is known: what the other window found takes the place of what could not be seen from here. */
function seenSoFar(fromHere: readonly Finding[], fromThere: readonly Finding[]): Finding[] {
  const found = new Map([...fromHere, ...fromThere].map((one) => [one.step, one]))
  if (found.size === 0) return []
  const steps = fromHere.length > 0 ? trialSteps : trialSteps.filter((step) => found.has(step))
  return steps.map((step) => found.get(step) ?? { step, result: 'open', fault: null, told: null })
}

const results: Record<Finding['result'], { tone: Tone; word: string }> = {
  good: { tone: 'success', word: 'Good' },
  wrong: { tone: 'danger', word: 'Wrong' },
  open: { tone: 'neutral', word: 'Not seen yet' },
}

const faultWords: Record<string, string> = { ...signInFaultWords, ...trialFaultWords }

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <Lines label="What was found">
      {findings.map(({ step, result, fault, told }) => (
        <li key={step}>
          <div>
            <strong>{trialStepWords[step]}</strong>
            {fault !== null && <p>{faultWords[fault]}</p>}
            {told !== null && (
              <small>
                The provider says: <q>{told}</q>
              </small>
            )}
          </div>
          <StatusBadge tone={results[result].tone}>{results[result].word}</StatusBadge>
        </li>
      ))}
    </Lines>
  )
}

type ClaimsProps = { claims: readonly Claim[]; edited: Props['edited'] | null }

/** What came with the last sign-in for trial; each value can become a rule. */
function Claims({ claims, edited }: ClaimsProps) {
  return (
    <div className={classes.claims}>
      <PlainTable name="Claims that came" heads={['Claim', 'Value']}>
        {claims.map(({ name, values }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td data-label="Value">
              <ul>
                {values.map((value) => (
                  <li key={value}>
                    <span translate="no">{value}</span>
                    {edited && <MakeRule claim={name} value={value} edited={edited} />}
                  </li>
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </PlainTable>
    </div>
  )
}

/** Of use only for what several people share. */
const ofOnePerson = new Set(
  'sub email email_verified name given_name family_name preferred_username iss aud exp iat nbf auth_time nonce at_hash sid jti c_hash azp'.split(
    ' ',
  ),
)

function MakeRule({ claim, value, edited }: { claim: string; value: string; edited: Props['edited'] }) {
  const { form } = edited
  const { rules } = form.values
  if (ofOnePerson.has(claim) || rules.some((one) => one.claim === claim && one.value === value)) return null
  return (
    <button
      type="button"
      className={shapes.link}
      onClick={() => form.setFieldValue('rules', [...rules, { claim, value, role: null, groupId: null }])}
    >
      Make a rule
      <span className={shapes.sr}>
        {' '}
        of {claim}: {value}
      </span>
    </button>
  )
}
