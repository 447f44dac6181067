import { Textarea, TextInput } from '@mantine/core'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { GroupInput, type Group } from '#contract/directory/groups.ts'
import type { GroupRule } from '#contract/directory/rules.ts'
import type { ContractForm, useContractForm } from '../api/forms/form.ts'
import { useUser } from '../session/useSession.ts'
import { optional } from '../ui/fields/Field.tsx'
import { onDemand } from '../ui/browser/onDemand.tsx'
import { Bone } from '../ui/feedback/Skeletons.tsx'
import { sentenceOf } from './rule.ts'

export type GroupValues = { name: string; description: string | null; rule?: string | null }

/** What the form holds. The rule is one value, written as text: two versions of it are never mixed. */
export const GroupForm = z.extend(GroupInput, { rule: z.optional(z.nullable(z.string())) })

const Kind = onDemand(async () => (await import('./Kind.tsx')).Kind)

export const labels: ContractForm<GroupValues>['labels'] = {
  name: 'Name',
  description: 'Description',
  rule: 'Members',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_none, at) => at).flatMap((at) =>
      ['key', 'is', 'values'].map((part) => [`rule.conditions.${at}.${part}`, `Condition ${at + 1}`]),
    ),
  ),
}

/** `mayRule`: without it nothing is said about the rule, which then stays as it is. */
export function valuesOf(group: Group | undefined, mayRule: boolean): GroupValues {
  return {
    name: group?.name ?? '',
    description: group?.description ?? null,
    ...(mayRule ? { rule: group?.rule ? JSON.stringify(group.rule) : null } : {}),
  }
}

function ruleIn(text: string): GroupRule {
  return JSON.parse(text) as GroupRule
}

export function bodyOf({ rule, ...rest }: GroupValues): GroupInput {
  return rule === undefined ? rest : { ...rest, rule: rule === null ? null : ruleIn(rule) }
}

/** Where two versions are compared. */
export function words(field: string, value: unknown): string | undefined {
  if (field !== 'rule') return undefined
  return typeof value === 'string' ? sentenceOf(ruleIn(value)) : 'People chosen by hand'
}

/** A rule reaches beyond what a groupadmin sees. */
export function useMayRule(): boolean {
  return useUser().role !== 'groupadmin'
}

type Props = {
  form: Pick<ReturnType<typeof useContractForm<GroupValues>>, 'form' | 'field'>
  orgId: string
  groupId?: string
}

export function GroupFields({ form: { form, field }, orgId, groupId }: Props) {
  const { rule } = form.values
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
      {rule !== undefined && (
        <Suspense fallback={<Bone height={120} />}>
          <Kind
            orgId={orgId}
            groupId={groupId}
            rule={rule === null ? null : ruleIn(rule)}
            errors={form.errors}
            onChange={(changed) => {
              form.setFieldValue('rule', changed && JSON.stringify(changed))
              form.clearErrors()
            }}
          />
        </Suspense>
      )}
    </>
  )
}
