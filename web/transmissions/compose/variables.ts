import { useQuery } from '@tanstack/react-query'
import { listFields } from '#contract/directory/fields.ts'
import { reasonText } from '#contract/platform/reasons.ts'
import { faultIn, variableNames } from '#contract/transmissions/variables.ts'
import type { FormError } from '#web/api/forms/form.ts'
import { fetchFresh, queryOf } from '#web/api/query.ts'

/** Returns the fields of the organization that a message may name. One that is called like a variable of ours is not reached. */
export function useNamedFields(organizationId: string) {
  const { data } = useQuery({
    ...queryOf(listFields, { params: { orgId: organizationId } }),
    enabled: organizationId !== '',
  })
  return (data?.items ?? []).filter(({ key }) => !variableNames.some((name) => name === key))
}

/** Says what is wrong with variables, at the fields of the form. Where that cannot be asked for, the server says it. */
export async function variableErrors(
  organizationId: string,
  texts: Record<string, string>,
  labels: Record<string, string>,
): Promise<FormError[]> {
  const fields = await fetchFresh(listFields, { params: { orgId: organizationId } }).catch(() => null)
  if (!fields) return []
  const known = new Set<string>([...variableNames, ...fields.items.map(({ key }) => key)])
  return Object.entries(texts).flatMap(([field, text]) => {
    const fault = faultIn(text, known)
    const message = fault && reasonText({ code: 'not_a_variable', params: fault })
    return message ? [{ field, label: labels[field] ?? field, message }] : []
  })
}
