import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import type { DnsRecord } from '#contract/identity/mail-signing.ts'
import {
  checkSender,
  readSender,
  removeSender,
  sendSenderCode,
  updateSender,
  verifySender,
  type SenderOfOrganization,
} from '#contract/identity/senders.ts'
import { attempt } from '#web/api/attempt.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useOneField } from '#web/api/forms/oneField.ts'
import { useChange, useList } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { DnsRecordText } from './DnsRecordText.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Own = NonNullable<SenderOfOrganization['sender']>
type Props = { orgId: string; settings: SenderOfOrganization }

/** The address from which an organization writes: its own once somebody has proved to read there, else the installation's. */
export function Sender({ orgId }: { orgId: string }) {
  const { page: settings, error, retry } = useList(readSender, { params: { orgId } })
  if (error || !settings) return <NotRead error={error} retry={retry} height={240} />
  const { sender, usual } = settings
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
      aria-labelledby="sender"
    >
      <h2 id="sender">Address of the sender</h2>
      <p>
        {sender === null && <>Messages leave from {usual}. They can leave from an address of your own.</>}
        {sender?.isVerified === false && <>Messages are to leave from {sender.address}.</>}
        {sender?.isVerified && (
          <>
            Messages leave from {sender.address}, everything else from {usual}.
          </>
        )}
      </p>
      {sender && !sender.isVerified && <CodeStep orgId={orgId} sender={sender} />}
      {sender && <Domain orgId={orgId} sender={sender} />}
      <AddressStep key={settings.updatedAt} orgId={orgId} settings={settings} />
      {sender && <Removal orgId={orgId} settings={settings} />}
    </section>
  )
}

/** One field and its button. */
function useStep(name: string, send: (value: string) => Promise<unknown>) {
  const { field, submit, isBusy } = useOneField(name, '', async (value) => {
    if (value === '') return 'Please fill this in.'
    await send(value)
    return undefined
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit()
  }
  return { field, onSubmit, isBusy }
}

function AddressStep({ orgId, settings }: Props) {
  const update = useChange(updateSender, [readSender])
  const step = useStep('address', async (address) => {
    await update.mutateAsync({ params: { orgId }, body: { address }, ifMatch: settings })
    toast.success('The address was saved. A code is on its way to it.')
  })
  return (
    <form className={shapes.stack} noValidate onSubmit={step.onSubmit}>
      <TextInput
        {...step.field}
        label={settings.sender ? 'Another address' : 'Address of your own'}
        description="A code is mailed to it. Nothing is sent before the code is typed here."
        type="email"
        autoComplete="off"
      />
      <div>
        <Button type="submit" variant="default" loading={step.isBusy}>
          Send from this address
        </Button>
      </div>
    </form>
  )
}

function CodeStep({ orgId, sender: { address, codeUntil } }: { orgId: string; sender: Own }) {
  const params = { orgId }
  const verify = useChange(verifySender, [readSender])
  const again = useChange(sendSenderCode, [readSender])
  const step = useStep('code', async (typed) => {
    await verify.mutateAsync({ params, body: { code: typed.replaceAll(/\D/g, '') } })
    toast.success('The address is confirmed: messages leave from it.')
  })
  return (
    <>
      <Notice tone="danger">
        Nothing is sent: nobody has proved yet that they read at {address}. Type the code from the mail there.
      </Notice>
      <form className={shapes.stack} noValidate onSubmit={step.onSubmit}>
        <TextInput
          {...step.field}
          label="Code"
          description={
            codeUntil === null ? (
              'No code counts any more. Have a new one mailed.'
            ) : (
              <>
                Six digits, good until <DateTime iso={codeUntil} />.
              </>
            )
          }
          inputMode="numeric"
          autoComplete="one-time-code"
        />
        <div className={shapes.row}>
          <Button type="submit" loading={step.isBusy}>
            Confirm the address
          </Button>
          <Button
            variant="default"
            loading={again.isPending}
            onClick={() =>
              void attempt(() => again.mutateAsync({ params, body: {} }), 'A new code is on its way.')
            }
          >
            Mail a new code
          </Button>
        </div>
      </form>
    </>
  )
}

type RecordVerdict = { tone: Tone; word: string; says: string }
const there: RecordVerdict = { tone: 'success', word: 'There', says: 'This is as it should be.' }
const unknown: RecordVerdict = { tone: 'neutral', word: 'Not known', says: 'Check it to see.' }
const missing = (says: string): RecordVerdict => ({ tone: 'warning', word: 'Missing', says })

const spfWords: Record<NonNullable<Own['spf']['state']>, RecordVerdict> = {
  there,
  missing: missing('Add this record, or the one that the mail provider of the installation names.'),
  double: {
    tone: 'danger',
    word: 'Several',
    says: 'Receivers believe none of several records. Make one of them.',
  },
  open: {
    tone: 'warning',
    word: 'Open',
    says: 'The record lets everybody send in the name of the domain. End it in ~all or -all.',
  },
}
const dkimWords: Record<NonNullable<Own['dkim']['state']>, RecordVerdict> = {
  there: { ...there, says: 'Mails are signed in the name of this domain.' },
  missing: missing('Add this record. Until then, mails are signed in the name of the installation.'),
  other: {
    tone: 'danger',
    word: 'Another key',
    says: 'The DNS has another key in this place. Replace it by this record.',
  },
}
const dmarcWords: Record<NonNullable<Own['dmarc']['state']>, RecordVerdict> = {
  there,
  missing: missing('Large mail providers ask for it. Add this record.'),
}

/** What receivers find about the domain, with what is to be added. */
function Domain({ orgId, sender: { spf, dkim, dmarc, checkedAt } }: { orgId: string; sender: Own }) {
  const check = useChange(checkSender, [readSender])
  return (
    <>
      <Line
        name="SPF: who may send"
        verdict={spf.state ? spfWords[spf.state] : unknown}
        record={spf.record}
      />
      <Line
        name="DKIM: the signature"
        verdict={
          dkim.record
            ? dkim.state
              ? dkimWords[dkim.state]
              : unknown
            : { tone: 'neutral', word: 'Not used', says: 'This installation signs nothing by itself.' }
        }
        record={dkim.record}
      />
      <Line
        name="DMARC: what becomes of forged mails"
        verdict={dmarc.state ? dmarcWords[dmarc.state] : unknown}
        record={dmarc.record}
      />
      <div className={shapes.row}>
        <Button
          variant="default"
          loading={check.isPending}
          onClick={() =>
            void attempt(
              () => check.mutateAsync({ params: { orgId }, body: {} }),
              'The DNS was asked. Changes there can take an hour until they are seen.',
            )
          }
        >
          Check the domain
        </Button>
        {checkedAt && (
          <span className={shapes.hint}>
            As of <DateTime iso={checkedAt} />
          </span>
        )}
      </div>
    </>
  )
}

type LineProps = { name: string; verdict: RecordVerdict; record: DnsRecord | null }

function Line({ name, verdict, record }: LineProps): ReactNode {
  return (
    <div role="group" aria-label={name} className={shapes.stack}>
      <div className={shapes.spaceBetween}>
        <strong>{name}</strong>
        <StatusBadge tone={verdict.tone}>{verdict.word}</StatusBadge>
      </div>
      <p className={shapes.hint}>{verdict.says}</p>
      {record && (verdict.tone === 'warning' || verdict.tone === 'danger') && (
        <DnsRecordText record={record} />
      )}
    </div>
  )
}

function Removal({ orgId, settings }: Props) {
  const [isAsking, setAsking] = useState(false)
  const remove = useChange(removeSender, [readSender])
  const confirm = () =>
    attempt(
      () => remove.mutateAsync({ params: { orgId }, ifMatch: settings }),
      'Messages leave from the address of the installation again.',
    )
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Remove the address
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Send from the address of the installation again?"
        confirmLabel="Remove the address"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <p>To use the address again, somebody has to prove anew that they read there.</p>
      </ConfirmDialog>
    </>
  )
}
