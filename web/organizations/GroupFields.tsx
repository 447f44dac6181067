import { Textarea, TextInput } from '@mantine/core'
import type { Group } from '#contract/groups.ts'
import type { ContractForm, useContractForm } from '../api/form.ts'
import { optional } from '../ui/Field.tsx'

export type GroupValues = { name: string; description: string | null }

export const labels: ContractForm<GroupValues>['labels'] = { name: 'Name', description: 'Description' }

export function valuesOf(group?: Group): GroupValues {
  return { name: group?.name ?? '', description: group?.description ?? null }
}

export function GroupFields({
  form: { form, field },
}: {
  form: Pick<ReturnType<typeof useContractForm<GroupValues>>, 'form' | 'field'>
}) {
  return (
    <>
      <TextInput {...field('name')} autoComplete="off" maxLength={200} />
      <Textarea
        {...field('description')}
        label={optional('Description')}
        value={form.values.description ?? ''}
        onChange={(event) => form.setFieldValue('description', event.currentTarget.value || null)}
        rows={3}
      />
    </>
  )
}
