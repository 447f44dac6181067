import { Button, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import {
  MailServerInput,
  readMailServer,
  removeMailServer,
  updateMailServer,
  type mailEncryptions,
  sendTestMail,
} from '#contract/identity/mail-server.ts'
import { readConfig } from '#contract/platform/system.ts'
import { attempt } from '#web/api/attempt.ts'
import { useContractForm } from '#web/api/forms/form.ts'
import { useChange, useList } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { OutboxNote } from '#web/layout/OutboxNote.tsx'
import columns from '#web/ui/table/columns.module.css'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Facts, optional } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { SecretInput } from '#web/ui/fields/SecretInput.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { MailSigning } from './MailSigning.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { mailTestWords } from '#contract/identity/mail-test-words.ts'
import { sentence } from '#web/api/errors.ts'
import { useUser } from '#web/session/useSession.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'

type Settings = Reply<typeof readMailServer>
type Encryption = (typeof mailEncryptions)[number]

const encryptions: Record<Encryption, { label: string; means: string; port: number }> = {
  starttls: { label: 'STARTTLS', means: 'Most servers ask for it, on port 587.', port: 587 },
  tls: { label: 'TLS from the beginning', means: 'On port 465.', port: 465 },
  none: {
    label: 'None',
    means:
      'Mails and password can be read on the way. Only for a server on this machine or in a closed network.',
    port: 25,
  },
}

/** By which server mails leave, in the whole installation. */
export function MailServer() {
  const { page: settings, error, retry } = useList(readMailServer, {})
  if (error || !settings) return <NotRead error={error} retry={retry} height={480} />
  return (
    <>
      <OutboxNote />
      <div className={columns.even}>
        <div className={shapes.stack}>
          {settings.setBy === 'operator' ? (
            <OperatorsServer settings={settings} />
          ) : (
            <ServerForm key={settings.updatedAt} settings={settings} />
          )}
        </div>
        {settings.server && (
          <div className={shapes.stack}>
            <TestMail key={settings.updatedAt} />
            <MailSigning domain={settings.server.senderAddress.split('@').at(-1) ?? ''} />
          </div>
        )}
      </div>
    </>
  )
}

/** A mail to oneself, and what became of it. */
function TestMail() {
  const { email } = useUser()
  const test = useChange(sendTestMail, [])
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="test-mail">
      <h2 id="test-mail">Test</h2>
      <p>A mail to {email}, by the mail server as it is saved.</p>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ body: {} })}>
        Send a test mail
      </Button>
      <div role="status">
        {test.data && <Result {...test.data} />}
        {test.error && <p>{sentence(test.error)}</p>}
      </div>
    </section>
  )
}

function Result({ result, answer }: Reply<typeof sendTestMail>) {
  return (
    <Notice tone={result === 'accepted' ? 'success' : 'danger'}>
      <p>{mailTestWords[result]}</p>
      {answer !== null && (
        <p>
          Its answer: <q>{answer}</q>
        </p>
      )}
    </Notice>
  )
}

/** What the configuration says is shown and not changed. */
function OperatorsServer({ settings: { server } }: { settings: Settings }) {
  if (!server) return null
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="operators-server">
      <h2 id="operators-server">Mail server</h2>
      <p>The operator of this installation has set it (SMTP_URL, MAIL_FROM), so it is not changed here.</p>
      <Facts
        facts={[
          { label: 'Server', value: `${server.host}, port ${server.port}` },
          { label: 'Encryption', value: encryptions[server.encryption].label },
          { label: 'Login name', value: server.user ?? 'No login' },
          { label: 'Sender', value: [server.senderName, server.senderAddress].filter(Boolean).join(', ') },
        ]}
      />
    </section>
  )
}

const labels = {
  host: 'Server',
  port: 'Port',
  encryption: 'Encryption',
  user: 'Login name',
  password: 'Password',
  senderName: 'Name of the sender',
  senderAddress: 'Address of the sender',
}

function valuesOf({ server }: Settings): MailServerInput {
  return {
    host: server?.host ?? '',
    port: server?.port ?? encryptions.starttls.port,
    encryption: server?.encryption ?? 'starttls',
    user: server?.user ?? null,
    password: undefined,
    senderName: server?.senderName ?? '',
    senderAddress: server?.senderAddress ?? '',
  }
}

function ServerForm({ settings }: { settings: Settings }) {
  const update = useChange(updateMailServer, [readMailServer, readConfig])
  const { form, field, layout, isDirty } = useContractForm<MailServerInput, Settings>({
    schema: MailServerInput,
    initialValues: valuesOf(settings),
    labels,
    save: (body) => update.mutateAsync({ body, ifMatch: settings }),
    onSaved: async () => toast.success('The mail server was saved. Send yourself a test mail now.'),
  })
  const { values, setFieldValue } = form
  const choose = (chosen: string) => {
    const encryption = (Object.keys(encryptions) as Encryption[]).find((one) => one === chosen) ?? 'starttls'
    const wasUsual = values.port === encryptions[values.encryption].port
    setFieldValue('encryption', encryption)
    if (wasUsual) setFieldValue('port', encryptions[encryption].port)
  }
  return (
    <>
      <FormLayout {...layout} submitLabel="Save the mail server">
        <TextInput {...field('host')} description="Such as smtp.example.com." autoComplete="off" />
        <RadioChoices {...field('encryption')} onChange={choose} choices={choicesOf(encryptions)} />
        <NumberInput {...field('port')} min={1} max={65_535} clampBehavior="none" allowDecimal={false} />
        <TextInput
          {...field('user')}
          label={optional(labels.user)}
          description="By which the server knows this installation. Empty: it asks for no login."
          value={values.user ?? ''}
          onChange={(event) => setFieldValue('user', event.currentTarget.value || null)}
          autoComplete="off"
        />
        {values.user !== null && (
          <SecretInput
            {...field('password')}
            description={
              settings.server?.hasPassword
                ? 'It is kept encrypted and shown to nobody. Empty: it stays as it is.'
                : 'It is kept encrypted and shown to nobody.'
            }
            value={values.password ?? ''}
            onChange={(event) => setFieldValue('password', event.currentTarget.value || undefined)}
            autoComplete="new-password"
          />
        )}
        <TextInput
          {...field('senderName')}
          label={optional(labels.senderName)}
          description="Organizations can choose a name and an address of their own."
          autoComplete="off"
        />
        <TextInput
          {...field('senderAddress')}
          description="From which your mail server lets mails be sent."
          type="email"
          autoComplete="off"
        />
      </FormLayout>
      {settings.server && <Removal settings={settings} host={settings.server.host} />}
      <UnsavedGuard isDirty={isDirty} />
    </>
  )
}

function Removal({ settings, host }: { settings: Settings; host: string }) {
  const [isAsking, setAsking] = useState(false)
  const remove = useChange(removeMailServer, [readMailServer, readConfig])
  const confirm = () =>
    attempt(
      () => remove.mutateAsync({ ifMatch: settings }),
      'The mail server was removed. Mails rest in the outbox from now on.',
    )
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="remove-server">
      <h2 id="remove-server">Without a mail server</h2>
      <p>Mails then rest in the outbox, where superadmins read them.</p>
      <Button variant="default" onClick={() => setAsking(true)}>
        Remove the mail server
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Remove the mail server ${host}?`}
        confirmLabel="Remove the mail server"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <p>Nothing leaves any more until another one is set. Its password is forgotten.</p>
      </ConfirmDialog>
    </section>
  )
}
