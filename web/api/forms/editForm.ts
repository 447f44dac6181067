import { useQuery, queryOptions } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { openFormVersions, type Resource } from './formVersions.ts'
import { isContested } from '../errors.ts'
import { Unsettled, useFormWith, type ContractForm } from './form.ts'
import { valueAt, withValue, type Side, type Values } from './merge.ts'
import { notePropsOf } from './mergeNote.ts'
import { queryClient } from '../query.ts'
import { useDraft } from './useDraft.ts'
import { listAudit } from '#contract/platform/audit.ts'
import { adminRoles } from '#contract/roles.ts'
import { call } from '../client.ts'
import { session } from '../session.ts'

/** Where the audit log tells of a thing: by its kind and id, or by what is done to it. */
type Trace = { entity: string; entityId: string } | { action: string }

const patience = 3_000

/**
 * Names of those who have changed something after `since`, newest first; the present person is "You". None when the log may
 * not be read or does not answer: then the form says when, and not who.
 */
function namesOf(trace: Trace, since: string) {
  return queryOptions({ queryKey: ['changedBy', trace, since], queryFn: () => changedBy(trace, since) })
}

async function changedBy(trace: Trace, since: string): Promise<string[]> {
  const { user } = session.read()
  if (!user || !adminRoles.includes(user.role)) return []
  try {
    const { items } = await call(listAudit, {
      query: { ...trace, from: since, limit: 10 },
      timeout: patience,
    })
    const names = items
      .filter(({ at, actor }) => at > since && actor !== null)
      .map(({ actor }) => (actor?.id === user.id ? 'You' : (actor?.name ?? '')))
    return [...new Set(names)].filter((name) => name !== '')
  } catch {
    return []
  }
}

export type EditForm<R extends Resource, V extends Values> = Pick<
  ContractForm<V>,
  'schema' | 'labels' | 'draft'
> & {
  /** The thing as the form begins with it, just as it was answered: it carries its version. */
  loaded: R
  /** The thing as it is now. */
  read: () => Promise<R>
  valuesOf: (resource: R) => V
  /** Sends the values on the condition, and gives the answer. */
  save: (values: V, condition: { ifMatch: R }) => Promise<R>
  onSaved: (saved: R) => Promise<void>
  /** What it is, as in "changed this person". */
  what: string
  /** Where the audit log tells who has changed it. */
  trace: Trace
  /** Words a value, or a thing in a list; `known` are the versions that were read, with the names of things in them. */
  words?: (field: string, value: unknown, known: readonly R[]) => string | undefined
  normalize?: (values: V) => V
}

/** More changes than this while one is saved are left to the person. */
const tries = 3

/**
 * A form for something that others may change meanwhile. A refused save reads the present state and merges: the form then
 * holds both sides' changes, and the note in `layout` says what came in, and asks where both changed the same field.
 */
export function useEditForm<R extends Resource, V extends Values>(given: EditForm<R, V>) {
  const { loaded, valuesOf, read, trace, normalize = (values: V) => values } = given
  const draft = useDraft(given.draft)
  const [versions] = useState(() =>
    openFormVersions({ loaded, valuesOf, normalize, stored: draft.found?.content ?? null }),
  )
  const { base, note } = useSyncExternalStore(versions.subscribe, versions.read)

  const save = async (values: V): Promise<R> => {
    if (!versions.isSettled(values)) {
      versions.ask()
      throw new Unsettled()
    }
    versions.leaveOldBase()
    for (let time = 1; ; time += 1) {
      const { base: ifMatch } = versions.read()
      try {
        const saved = await given.save(values, { ifMatch })
        versions.begin(saved)
        return saved
      } catch (error) {
        if (time > tries || !isContested(error)) throw error
      }
      const theirs = await read()
      await queryClient.fetchQuery(namesOf(trace, ifMatch.updatedAt))
      const merged = versions.absorb(theirs, form.form.getValues())
      if (!merged) continue
      form.show(merged, valuesOf(theirs))
      throw new Unsettled()
    }
  }

  const form: ReturnType<typeof useFormWith<V, R>> = useFormWith<V, R>(
    { ...given, initialValues: valuesOf(base), save },
    {
      draft,
      resumed: versions.resumed,
      keep: versions.keep,
      valuesAfter: valuesOf,
      onReset: () => versions.begin(versions.read().base),
    },
  )

  const choose = (field: string, side: Side) => {
    const one = note?.conflicts.find((conflict) => conflict.field === field)
    if (!one) return
    versions.decide(field)
    const isTheirs = side === 'theirs'
    form.show(
      normalize(withValue(form.form.getValues(), field, isTheirs ? one.theirs : one.mine)),
      valuesOf(base),
    )
  }
  const names = useQuery({ ...namesOf(trace, note?.since ?? ''), enabled: note !== null })
  const merge =
    note &&
    notePropsOf(note, {
      ...given,
      by: names.data ?? [],
      valueOf: (field) => valueAt(form.form.values, field),
      isDirty: form.layout.isDirty,
      choose,
    })
  return { ...form, base, layout: { ...form.layout, merge } }
}
