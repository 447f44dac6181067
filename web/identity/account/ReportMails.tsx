import { useEffect, useState } from 'react'
import type {
  confirmReportAddress,
  endReportAddress,
  ReportReader,
  readReportReader,
} from '#contract/reports/report-schedules.ts'
import { call } from '#web/api/client.ts'
import { ApiError, explain } from '#web/api/errors.ts'
import { Notice, Submit } from '../fields.tsx'
import { Card } from '../Frame.tsx'
import { useSubmit } from '../useSubmit.ts'
import classes from '../public.module.css'

type HeldToken = { addressId: string; token: string }
type State = { reader?: ReportReader; failure?: unknown }

/** Behind the hash of the link, which no server gets to see. */
function held(): HeldToken {
  const [addressId = '', token = ''] = location.hash.slice(1).split('.')
  return { addressId, token }
}

/** Whether somebody wants a report at their address; opening the page decides nothing, because mail scanners open links. */
export function ReportMails() {
  const [attempt, setAttempt] = useState(0)
  return <Opening key={attempt} onRetry={() => setAttempt(attempt + 1)} />
}

function Opening({ onRetry }: { onRetry: () => void }) {
  const [link] = useState(held)
  const [{ reader, failure }, setState] = useState<State>({})
  const { addressId, token } = link
  useEffect(() => {
    call<typeof readReportReader>(
      { method: 'GET', path: '/report-addresses/:addressId' },
      { params: { addressId }, query: { token } },
    ).then(
      (found) => setState({ reader: found }),
      (error: unknown) => setState({ failure: error }),
    )
  }, [addressId, token])
  if (failure !== undefined) return <NotOpened failure={failure} onRetry={onRetry} />
  if (!reader)
    return <Card title="A report by mail" lead={<span role="status">One moment, we are opening it…</span>} />
  return <Choice link={link} reader={reader} onChange={(changed) => setState({ reader: changed })} />
}

function NotOpened({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const { title, detail } = explain(failure)
  const isGone = failure instanceof ApiError && [404, 410, 422].includes(failure.problem?.status ?? 0)
  if (isGone)
    return (
      <Card
        title="This link is no longer valid"
        lead="Whoever had the report sent has removed it, or this address from it. Nothing comes any more."
      />
    )
  return (
    <Card title="This page could not be opened">
      <Notice title={title}>{detail}</Notice>
      <button type="button" className={classes.button} onClick={onRetry}>
        Try again
      </button>
    </Card>
  )
}

const titles: Record<ReportReader['state'], string> = {
  waiting: 'Do you want this report?',
  confirmed: 'You get this report',
  ended: 'You do not get this report',
}

type ChoiceProps = { link: HeldToken; reader: ReportReader; onChange: (reader: ReportReader) => void }

function Choice({ link, reader, onChange }: ChoiceProps) {
  const { state, title, organizationName, ownerName, ownerEmail, address } = reader
  const params = { addressId: link.addressId }
  const receive = async () =>
    onChange(
      await call<typeof confirmReportAddress>(
        { method: 'POST', path: '/report-addresses/:addressId/confirm' },
        { params, body: { token: link.token } },
      ),
    )
  const end = async () => {
    await call<typeof endReportAddress>(
      { method: 'POST', path: '/report-addresses/:addressId/end' },
      { params, query: { token: link.token } },
    )
    onChange({ ...reader, state: 'ended' })
  }
  return (
    <Card
      title={titles[state]}
      lead={
        <>
          {ownerName} ({ownerEmail}) wants to send {title} of {organizationName ?? 'all organizations'} to{' '}
          {address} regularly. It shows what {ownerName} may see.
        </>
      }
    >
      {state !== 'confirmed' && <Press label="Receive it" send={receive} />}
      {state === 'waiting' && <Press label="Refuse" send={end} isDangerous />}
      {state === 'confirmed' && <Press label="Stop these mails" send={end} isDangerous />}
    </Card>
  )
}

type PressProps = { label: string; send: () => Promise<void>; isDangerous?: boolean }

function Press({ label, send, isDangerous = false }: PressProps) {
  const { form, problem, isBusy } = useSubmit({ check: () => ({}), send })
  return (
    <form {...form}>
      {problem && <Notice title={problem.title}>{problem.detail}</Notice>}
      <Submit isBusy={isBusy} isDangerous={isDangerous}>
        {label}
      </Submit>
    </form>
  )
}
