import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { listFields } from '#contract/fields.ts'
import { countGaps } from '#contract/preflight.ts'
import { reasonText } from '#contract/reasons.ts'
import { bareNames, faultIn, ofPerson, variableNames } from '#contract/variables.ts'
import { call } from '#web/api/client.ts'
import type { FormError } from '#web/api/form.ts'
import { fetchFresh, queryOf } from '#web/api/query.ts'
import { countRequestOf, hasAudience, type Draft } from './draft.ts'
import { useDebounced } from './usePreview.ts'

/** Fields of the organization that a message may name; one that is called like a variable of ours is not reached. */
export function useNamedFields(organizationId: string) {
  const { data } = useQuery({
    ...queryOf(listFields, { params: { orgId: organizationId } }),
    enabled: organizationId !== '',
  })
  return (data?.items ?? []).filter(({ key }) => !variableNames.some((name) => name === key))
}

/** What is wrong with variables, at the fields of the form. Where it cannot be asked for, the server says it. */
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

/** Of how many people of the audience it is known that a variable of the message is empty, and nothing stands in its place. */
export function useGaps(draft: Draft) {
  const fields = useNamedFields(draft.organizationId)
  const differing = new Set([...ofPerson, ...fields.map(({ key }) => key)])
  const variables = bareNames(draft.subject, draft.body).filter((name) => differing.has(name))
  const { settled: body, isLate } = useDebounced({ ...countRequestOf(draft), variables })
  const isAsked = variables.length > 0 && draft.organizationId !== '' && hasAudience(draft)
  const { data } = useQuery({
    queryKey: [countGaps.name, body],
    queryFn: ({ signal }) => call(countGaps, { body, signal }),
    enabled: isAsked && !isLate,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  if (!isAsked || !data) return []
  return data.gaps
    .filter(({ variable }) => variables.includes(variable))
    .map(({ variable, people }) => {
      const field = fields.find(({ key }) => key === variable)?.label ?? null
      return { variable, people, field }
    })
}
