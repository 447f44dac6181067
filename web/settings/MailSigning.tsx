import { Button, Checkbox, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import type { Reply } from '#contract/endpoint.ts'
import {
  checkMailSigning,
  MailSigningInput,
  readMailSigning,
  updateMailSigning,
  type DkimState,
} from '#contract/identity/mail-signing.ts'
import { DnsRecordText } from '#web/organizations/settings/DnsRecordText.tsx'
import { sentence } from '#web/api/errors.ts'
import { useContractForm } from '#web/api/forms/form.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import '#web/ui/fields/fields.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Settings = Reply<typeof readMailSigning>

/** Signatures by which receivers see that a mail comes from whom it says. */
export function MailSigning({ domain }: { domain: string }) {
  const { page: settings, error, retry } = useList(readMailSigning, {})
  if (error || !settings) return <NotRead error={error} retry={retry} height={320} />
  return (
    <section className={shapes.stack} aria-labelledby="mail-signing">
      <h2 id="mail-signing">Signature</h2>
      <p>
        Large mail providers trust mails that are signed by the domain of their sender (DKIM). Many mail
        servers sign by themselves; then it is not needed here.
      </p>
      <SigningForm key={settings.updatedAt} settings={settings} domain={domain} />
      {settings.signing && (
        <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
          <DnsRecordText record={settings.signing.record} />
          <Check key={settings.updatedAt} isOn={settings.signing.isOn} />
        </div>
      )}
    </section>
  )
}

const labels = { domain: 'Domain', selector: 'Selector', isOn: 'Sign mails' }

function SigningForm({ settings, domain }: { settings: Settings; domain: string }) {
  const update = useChange(updateMailSigning, [readMailSigning])
  const { signing } = settings
  const { field, check, layout, isDirty } = useContractForm<MailSigningInput, Settings>({
    schema: MailSigningInput,
    initialValues: {
      domain: signing?.domain ?? domain,
      selector: signing?.selector ?? 'sendreel',
      isOn: signing?.isOn ?? false,
    },
    labels,
    save: (body) => update.mutateAsync({ body, ifMatch: settings }),
    onSaved: async () =>
      toast.success(
        signing ? 'How mails are signed was saved.' : 'The key was made. Add its record to the DNS now.',
      ),
  })
  return (
    <>
      <FormLayout {...layout} submitLabel={signing ? 'Save the signature' : 'Make the key'} isNew={!signing}>
        <TextInput
          {...field('domain')}
          description="That of the sender, or one above it."
          autoComplete="off"
        />
        <TextInput
          {...field('selector')}
          description="Names the key. Choose another one to have a new key made."
          autoComplete="off"
        />
        <Checkbox
          {...check('isOn')}
          description="When the record is in the DNS: before, receivers find the signature wrong."
        />
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} />
    </>
  )
}

const found: Record<DkimState, string> = {
  there: 'The record is in the DNS.',
  missing: 'The record is not in the DNS yet. It can take an hour until it is seen everywhere.',
  other: 'The DNS has another key in this place. Replace the record by the one above.',
}

function Check({ isOn }: { isOn: boolean }) {
  const check = useChange(checkMailSigning, [])
  return (
    <>
      <Button variant="default" loading={check.isPending} onClick={() => check.mutate({ body: {} })}>
        Check the record
      </Button>
      <div role="status">
        {check.data && <Answer {...check.data} isOn={isOn} />}
        {check.error && <p>{sentence(check.error)}</p>}
      </div>
    </>
  )
}

function Answer({ dkim, checkedAt, isOn }: Reply<typeof checkMailSigning> & { isOn: boolean }) {
  const asOf = (
    <>
      As of <DateTime iso={checkedAt} />.
    </>
  )
  if (dkim === null) return <Notice tone="warning">The DNS does not answer. {asOf}</Notice>
  const next = dkim === 'there' && !isOn ? 'Mails can be signed now.' : ''
  return (
    <Notice tone={dkim === 'there' ? 'success' : 'danger'}>
      {found[dkim]} {next} {asOf}
    </Notice>
  )
}
