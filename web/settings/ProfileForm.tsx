import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { AccountInput, readAccount, updateAccount, type Account } from '#contract/account.ts'
import { readSession } from '#contract/auth.ts'
import { call } from '#web/api/client.ts'
import { ApiError } from '#web/api/errors.ts'
import { useContractForm } from '#web/api/form.ts'
import { queryClient, queryOf, useChange } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { UnsavedGuard } from '#web/shell/UnsavedGuard.tsx'
import { ConflictNote } from '#web/ui/ConflictNote.tsx'
import { optional } from '#web/ui/Field.tsx'
import { FormLayout } from '#web/ui/FormLayout.tsx'
import { toast } from '#web/ui/toasts.ts'

const labels = { name: 'Name', phone: 'Phone' }

const readAgain = () => queryClient.fetchQuery({ ...queryOf(readAccount, {}), staleTime: 0 })

/** The frame shows the person too. */
export async function tellFrame(): Promise<void> {
  const { user } = await call(readSession, {})
  session.apply({ type: 'user-read', user })
}

/** What others see of this person. */
export function ProfileForm({ account }: { account: Account }) {
  const [base, setBase] = useState(account)
  return <Editor key={base.updatedAt} base={base} onBase={setBase} />
}

type Props = { base: Account; onBase: (account: Account) => void }

function Editor({ base, onBase }: Props) {
  const [isContested, setContested] = useState(false)
  const update = useChange(updateAccount, [readAccount])
  const send = (body: { name: string; phone: string | null }, condition: { ifMatch?: object }) =>
    update.mutateAsync({ body, ...condition }).catch((error: unknown) => {
      setContested(error instanceof ApiError && error.problem?.code === 'precondition_failed')
      throw error
    })
  const saved = async (after: Account) => {
    toast.success('Your profile was saved.')
    await tellFrame()
    onBase(after)
  }
  const form = useContractForm({
    schema: AccountInput,
    initialValues: { name: base.name, phone: base.phone },
    labels,
    save: async (body) => saved(await send(body, { ifMatch: base })),
  })
  const overwrite = () => void send(form.form.getValues(), {}).then(saved, () => undefined)
  return (
    <section aria-label="Profile">
      <FormLayout {...form.layout} submitLabel="Save changes">
        <h2>Profile</h2>
        {isContested && (
          <ConflictNote
            what="your profile"
            onReload={() => void readAgain().then(onBase)}
            onOverwrite={overwrite}
          />
        )}
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
      <UnsavedGuard isDirty={form.isDirty} />
    </section>
  )
}
