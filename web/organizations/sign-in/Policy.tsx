import type { Body } from '#contract/endpoint.ts'
import {
  type OrganizationSignIn,
  readOrganizationSignIn,
  SignInPolicyInput,
  signInPolicies,
  updateOrganizationSignIn,
} from '#contract/identity/sign-in-domains.ts'
import { useEditForm } from '#web/api/forms/editForm.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { fetchFresh, useChange, useList } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import '#web/ui/fields/fields.ts'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import shapes from '#web/ui/look/shapes.module.css'

const labels = { signIn: 'How people sign in', breakGlassId: 'Administrator for an emergency' }

const words = {
  offered: 'With a connection or otherwise',
  required: 'With a connection only',
}

const means = ({ sessionsToEnd }: OrganizationSignIn) => ({
  offered: 'Passwords and passkeys are taken as well.',
  required: `Passwords and passkeys of your people are refused, but for one administrator. ${
    sessionsToEnd === 0
      ? 'Nobody is signed out by it.'
      : `${plural(sessionsToEnd, 'session')} that began otherwise end when you save.`
  }`,
})

/** Whether people of the organization have to sign in by its connections. */
export function Policy({ orgId }: { orgId: string }) {
  const { page, error, retry } = useList(readOrganizationSignIn, { params: { orgId } })
  return (
    <section className={shapes.stack} aria-labelledby="sign-in-policy">
      <h2 id="sign-in-policy">Who has to use them</h2>
      {error || !page ? (
        <NotRead error={error} retry={retry} height={240} />
      ) : (
        <PolicyForm orgId={orgId} settings={page} />
      )}
    </section>
  )
}

const valuesOf = ({ signIn, breakGlassId }: OrganizationSignIn): Body<typeof updateOrganizationSignIn> => ({
  signIn,
  breakGlassId,
})

function PolicyForm({ orgId, settings }: { orgId: string; settings: OrganizationSignIn }) {
  const params = { orgId }
  const update = useChange(updateOrganizationSignIn, [readOrganizationSignIn])
  const nameOf = (id: unknown) => settings.candidates.find((one) => one.id === id)?.name
  const { form, field, layout, isDirty } = useEditForm({
    what: 'how people sign in',
    schema: SignInPolicyInput,
    labels,
    loaded: settings,
    read: () => fetchFresh(readOrganizationSignIn, { params }),
    valuesOf,
    words: (name, value) =>
      name === 'signIn'
        ? signInPolicies.flatMap((one) => (one === value ? words[one] : []))[0]
        : nameOf(value),
    draft: `sign-in:${orgId}`,
    trace: { entity: 'organization', entityId: orgId },
    save: (body, condition) => update.mutateAsync({ params, body, ...condition }),
    onSaved: async () => toast.success('How people sign in was saved.'),
  })
  const { values } = form
  const about = means(settings)
  const people = new Map(
    [...settings.candidates, ...(settings.breakGlass ? [settings.breakGlass] : [])].map((one) => [
      one.id,
      one,
    ]),
  )
  return (
    <>
      <FormLayout {...layout} submitLabel="Save changes">
        <RadioChoices
          {...field('signIn')}
          choices={signInPolicies.map((value) => ({ value, label: words[value], means: about[value] }))}
        />
        <NativeChoice
          {...field('breakGlassId')}
          value={values.breakGlassId ?? ''}
          onChange={({ currentTarget }) => form.setFieldValue('breakGlassId', currentTarget.value || null)}
          description="Enters with a password or a passkey when the provider fails. Each sign-in of theirs stands in the audit log. Only administrators with a password or a passkey can be named."
          data={[
            { value: '', label: 'Nobody' },
            ...Array.from(people.values(), ({ id, name, email }) => ({
              value: id,
              label: `${name}, ${email}`,
            })),
          ]}
        />
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} isKept />
    </>
  )
}
