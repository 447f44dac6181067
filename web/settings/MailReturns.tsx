import { Button, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import {
  MailReturnsInput,
  readMailReturns,
  removeMailReturns,
  testMailReturns,
  updateMailReturns,
} from '#contract/identity/mail-returns.ts'
import { mailReturnWords } from '#contract/identity/mail-return-words.ts'
import type { mailEncryptions } from '#contract/identity/mail-server.ts'
import { attempt } from '#web/api/attempt.ts'
import { sentence } from '#web/api/errors.ts'
import { useContractForm } from '#web/api/forms/form.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import '#web/ui/fields/fields.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { SecretInput } from '#web/ui/fields/SecretInput.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Settings = Reply<typeof readMailReturns>
type Encryption = (typeof mailEncryptions)[number]

const encryptions: Record<Encryption, { label: string; means: string; port: number }> = {
  tls: { label: 'TLS from the beginning', means: 'Most servers ask for it, on port 993.', port: 993 },
  starttls: { label: 'STARTTLS', means: 'On port 143.', port: 143 },
  none: {
    label: 'None',
    means: 'Mails and password can be read on the way. Only for a server in a closed network.',
    port: 143,
  },
}

/** A mailbox that is read here, for whom no provider reports what came back. */
export function MailReturns() {
  const { page: settings, error, retry } = useList(readMailReturns, {}, { every: 30_000 })
  const [isOpen, setOpen] = useState(false)
  if (error || !settings) return <NotRead error={error} retry={retry} height={320} />
  const { mailbox } = settings
  return (
    <section className={shapes.stack} aria-labelledby="mail-returns">
      <h2 id="mail-returns">Mailbox for returns</h2>
      <p>
        Where no provider tells it: mails of transmissions come back to this mailbox, which is read once a
        minute by IMAP. It has to take mails for its address with a plus and more behind its name.
      </p>
      {mailbox && <State {...mailbox} />}
      {mailbox || isOpen ? (
        <ReturnsForm key={settings.updatedAt} settings={settings} />
      ) : (
        <Button variant="default" onClick={() => setOpen(true)}>
          Set up a mailbox
        </Button>
      )}
      {mailbox && (
        <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
          <Test key={settings.updatedAt} />
          <Removal settings={settings} />
        </div>
      )}
    </section>
  )
}

function State({ readAt, fault, taken, leftAlone }: NonNullable<Settings['mailbox']>) {
  if (fault !== null) return <Notice tone="danger">It cannot be read. {mailReturnWords[fault]}</Notice>
  if (readAt === null) return <p className={shapes.hint}>It has not been read yet.</p>
  return (
    <p className={shapes.hint}>
      Read <RelativeTime iso={readAt} />. {plural(taken, 'message')} told what became of a mail,{' '}
      {formatNumber(leftAlone)} were left alone.
    </p>
  )
}

const labels = {
  address: 'Address for returns',
  host: 'Server for returns',
  port: 'Port of this server',
  encryption: 'Encryption of returns',
  user: 'Login name of the mailbox',
  password: 'Password of the mailbox',
  folder: 'Where in the mailbox',
}

function valuesOf({ mailbox }: Settings): MailReturnsInput {
  return {
    address: mailbox?.address ?? '',
    host: mailbox?.host ?? '',
    port: mailbox?.port ?? encryptions.tls.port,
    encryption: mailbox?.encryption ?? 'tls',
    user: mailbox?.user ?? '',
    password: undefined,
    folder: mailbox?.folder ?? 'INBOX',
  }
}

function ReturnsForm({ settings }: { settings: Settings }) {
  const update = useChange(updateMailReturns, [readMailReturns])
  const { form, field, layout, isDirty } = useContractForm<MailReturnsInput, Settings>({
    schema: MailReturnsInput,
    initialValues: valuesOf(settings),
    labels,
    save: (body) => update.mutateAsync({ body, ifMatch: settings }),
    onSaved: async () => toast.success('The mailbox was saved. Test now whether it can be read.'),
  })
  const { values, setFieldValue } = form
  const choose = (chosen: string) => {
    const encryption = (Object.keys(encryptions) as Encryption[]).find((one) => one === chosen) ?? 'tls'
    const wasUsual = values.port === encryptions[values.encryption].port
    setFieldValue('encryption', encryption)
    if (wasUsual) setFieldValue('port', encryptions[encryption].port)
  }
  return (
    <>
      <FormLayout {...layout} submitLabel="Save the mailbox" isNew={settings.mailbox === null}>
        <TextInput
          {...field('address')}
          description="Such as bounces@example.com; its name has at most 15 characters."
          type="email"
          autoComplete="off"
        />
        <TextInput {...field('host')} description="Such as imap.example.com." autoComplete="off" />
        <RadioChoices {...field('encryption')} onChange={choose} choices={choicesOf(encryptions)} />
        <NumberInput {...field('port')} min={1} max={65_535} clampBehavior="none" allowDecimal={false} />
        <TextInput
          autoComplete="off"
          {...field('user')}
          description="Often the address of the mailbox itself."
        />
        <SecretInput
          {...field('password')}
          description={
            settings.mailbox
              ? 'It is kept encrypted and shown to nobody. Empty: it stays as it is.'
              : 'It is kept encrypted and shown to nobody.'
          }
          value={values.password ?? ''}
          onChange={(event) => setFieldValue('password', event.currentTarget.value || undefined)}
          autoComplete="new-password"
        />
        <TextInput {...field('folder')} description="Mails arrive in INBOX." autoComplete="off" />
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} />
    </>
  )
}

function Test() {
  const test = useChange(testMailReturns, [])
  return (
    <>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ body: {} })}>
        Test the mailbox
      </Button>
      <div role="status">
        {test.data && <Result {...test.data} />}
        {test.error && <p>{sentence(test.error)}</p>}
      </div>
    </>
  )
}

function Result({ fault, messages }: Reply<typeof testMailReturns>) {
  if (fault !== null) return <Notice tone="danger">{mailReturnWords[fault]}</Notice>
  return <Notice tone="success">It can be read, and has {plural(messages ?? 0, 'message')}.</Notice>
}

function Removal({ settings }: { settings: Settings }) {
  const [isAsking, setAsking] = useState(false)
  const remove = useChange(removeMailReturns, [readMailReturns])
  const confirm = () =>
    attempt(
      () => remove.mutateAsync({ ifMatch: settings }),
      'The mailbox was removed. Mails come back to their sender from now on.',
    )
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Remove the mailbox
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Remove the mailbox for returns?"
        confirmLabel="Remove the mailbox"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <p>
          What comes back is told nowhere then, and what is in it already is not read. Its password is
          forgotten.
        </p>
      </ConfirmDialog>
    </>
  )
}
