import { TextInput } from '@mantine/core'
import { AccountInput, readAccount, updateAccount, type Account } from '#contract/identity/account.ts'
import { readSession } from '#contract/identity/auth.ts'
import { call } from '#web/api/client.ts'
import { useEditForm } from '#web/api/forms/editForm.ts'
import { fetchFresh, useChange } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { useUser } from '#web/session/useSession.ts'
import { optional } from '#web/ui/fields/Field.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'

const labels = { name: 'Name', phone: 'Phone' }

/** The frame shows the person too. */
export async function tellFrame(): Promise<void> {
  const { user } = await call(readSession, {})
  session.apply({ type: 'user-read', user })
}

const valuesOf = ({ name, phone }: Account) => ({ name, phone })

/** What others see of this person. */
export function ProfileForm({ account }: { account: Account }) {
  const { id } = useUser()
  const update = useChange(updateAccount, [readAccount])
  const form = useEditForm({
    what: 'your profile',
    schema: AccountInput,
    labels,
    loaded: account,
    read: () => fetchFresh(readAccount, {}),
    valuesOf,
    draft: 'profile',
    trace: { entity: 'user', entityId: id },
    save: (body, condition) => update.mutateAsync({ body, ...condition }),
    async onSaved() {
      toast.success('Your profile was saved.')
      await tellFrame()
    },
  })
  return (
    <section aria-labelledby="name-and-phone">
      <FormLayout {...form.layout} submitLabel="Save changes">
        <h2 id="name-and-phone">Name and phone</h2>
        <TextInput {...form.field('name')} autoComplete="name" maxLength={200} />
        <TextInput
          {...form.field('phone')}
          label={optional(labels.phone)}
          description="For the administrators of your organization."
          value={form.form.values.phone ?? ''}
          onChange={({ currentTarget }) => form.form.setFieldValue('phone', currentTarget.value || null)}
          type="tel"
          autoComplete="tel"
        />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </section>
  )
}
