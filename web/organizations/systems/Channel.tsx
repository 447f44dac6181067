import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import {
  readWebhook,
  removeWebhook,
  replaceWebhookSecret,
  testWebhook,
  updateWebhook,
  type Answered,
  type WebhookOfOrganization,
} from '#contract/transmissions/webhooks.ts'
import { attempt } from '#web/api/attempt.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useOneField } from '#web/api/forms/oneField.ts'
import { useChange, useList } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { answerWords, ReplaceSecret, Secret, Tried } from './Answers.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Named = NonNullable<WebhookOfOrganization['webhook']>
type Props = { orgId: string; settings: WebhookOfOrganization }

/** Where an organization has messages posted for whoever is reached by SMS or chat: the system that people read at. */
export function Channel({ orgId }: { orgId: string }) {
  const { page: settings, error, retry } = useList(readWebhook, { params: { orgId } })
  const [secret, setSecret] = useState<string | null>(null)
  if (error || !settings) return <NotRead error={error} retry={retry} height={200} />
  const { webhook } = settings
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
      aria-labelledby="webhook"
    >
      <h2 id="webhook">SMS and chat</h2>
      <p>
        {webhook ? (
          <>Transmissions can go by SMS or chat: each message is posted to {webhook.url}, signed.</>
        ) : (
          <>
            Name an address of your SMS or chat provider, or of a program of your own. A transmission can then
            be posted there, one message for each person, in place of mails.
          </>
        )}
      </p>
      {secret !== null && (
        <Secret secret={secret} onDone={() => setSecret(null)}>
          Whoever gets the messages checks by it that they are ours.
        </Secret>
      )}
      {webhook && <State webhook={webhook} />}
      <AddressForm key={settings.updatedAt} orgId={orgId} settings={settings} onSecret={setSecret} />
      {webhook && <Steps orgId={orgId} settings={settings} onSecret={setSecret} />}
    </section>
  )
}

function State({ webhook: { fault, failingSince, previousUntil } }: { webhook: Named }) {
  return (
    <>
      {fault !== null && failingSince !== null && (
        <Notice tone="danger" role="status">
          It has taken nothing since <DateTime iso={failingSince} />. {answerWords[fault]} What waits is sent
          once it answers again.
        </Notice>
      )}
      {previousUntil !== null && (
        <p className={shapes.hint}>
          Until <DateTime iso={previousUntil} /> messages are signed with the secret before as well.
        </p>
      )}
    </>
  )
}

type FormProps = Props & { onSecret: (secret: string | null) => void }

function AddressForm({ orgId, settings, onSecret }: FormProps) {
  const update = useChange(updateWebhook, [readWebhook])
  const { field, submit, isBusy } = useOneField('url', settings.webhook?.url ?? '', async (url) => {
    if (url === '') return 'Please fill this in.'
    const saved = await update.mutateAsync({ params: { orgId }, body: { url }, ifMatch: settings })
    if (saved.secret !== null) onSecret(saved.secret)
    toast.success('The address was saved.')
    return undefined
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit()
  }
  return (
    <form className={shapes.stack} noValidate onSubmit={onSubmit}>
      <TextInput
        {...field}
        label="Address that messages are posted to"
        description="It begins with https:// and is reached from the internet."
        type="url"
        autoComplete="off"
      />
      <div>
        <Button type="submit" variant="default" loading={isBusy}>
          Save the address
        </Button>
      </div>
    </form>
  )
}

function Steps({ orgId, settings, onSecret }: FormProps) {
  const params = { orgId }
  const [asks, setAsks] = useState<'secret' | 'removal' | null>(null)
  const [tried, setTried] = useState<Answered | null>(null)
  const trial = useChange(testWebhook)
  const replace = useChange(replaceWebhookSecret, [readWebhook])
  const remove = useChange(removeWebhook, [readWebhook])
  const close = () => setAsks(null)
  const tryIt = () =>
    attempt(async () => {
      setTried(null)
      setTried(await trial.mutateAsync({ params, body: {} }))
    })
  return (
    <>
      <div className={shapes.row}>
        <Button variant="default" loading={trial.isPending} onClick={() => void tryIt()}>
          Send a test
        </Button>
        <Button variant="default" onClick={() => setAsks('secret')}>
          Replace the secret
        </Button>
        <Button variant="default" onClick={() => setAsks('removal')}>
          Remove the address
        </Button>
      </div>
      {tried && <Tried {...tried} taken="The test was taken. It goes to nobody." />}
      <ReplaceSecret
        isOpen={asks === 'secret'}
        replace={() => replace.mutateAsync({ params, body: {} })}
        onSecret={onSecret}
        onClose={close}
      />
      <ConfirmDialog
        isOpen={asks === 'removal'}
        title="Send nothing by SMS or chat any more?"
        confirmLabel="Remove the address"
        onConfirm={() =>
          attempt(() => remove.mutateAsync({ params, ifMatch: settings }), 'The address was removed.')
        }
        onClose={close}
      >
        <p>Transmissions that go this way pause, and lose nobody. Another address gets another secret.</p>
      </ConfirmDialog>
    </>
  )
}
