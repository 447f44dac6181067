import { useForm, type UseFormReturnType } from '@mantine/form'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { explain, type Explanation } from '../errors.ts'
import { fieldErrors, serverFieldErrors } from './fieldErrors.ts'
import { adopt, isSameForm, type Values } from './merge.ts'
import { useDraft } from './useDraft.ts'

export type ContractForm<V extends Values, S = void> = {
  schema: z.ZodMiniType
  initialValues: V
  /** Field name to the label that people see; also used by the summary of errors. */
  labels: Record<string, string>
  /** Saves; what it throws is shown in the form. */
  save: (values: V) => Promise<S>
  /** What follows when it is saved: tell, and go where one came from. */
  onSaved?: (saved: S) => Promise<void>
  /** Names the form in this browser's storage, where what is typed survives a reload. Not for forms with secrets. */
  draft?: string
}

/** Where a form keeps what is not saved, and what it found there. */
type Keeping<V, S> = {
  draft: ReturnType<typeof useDraft>
  /** The values to open with, in place of those that count as saved. */
  resumed: V | null
  keep: (values: V) => unknown
  onReset?: () => void
  /** The values with which a form that stays open goes on. */
  valuesAfter?: (saved: S) => V
}

export type FormError = { field: string; label: string; message: string }

/** What the server refused, at the fields of a form: of a part of one, at that one. Empty where it was no field. */
export function refusedFields(error: unknown, labels: Record<string, string>): FormError[] {
  return Object.entries(serverFieldErrors(error)).map(([place, message]) => {
    const field = place.split('.')[0] ?? place
    return { field, label: labels[field] ?? field, message }
  })
}

/** Thrown by `save` when the form itself says, where it carries `data-error-summary`, what has to be done first. */
export class Unsettled extends Error {}

/**
 * A form whose rules are a schema of the contract. `layout` goes to `FormLayout`, `field(name)` to the inputs,
 * `isDirty` to `UnsavedGuard`.
 */
export function useContractForm<V extends Values, S = void>(given: ContractForm<V, S>) {
  const draft = useDraft(given.draft)
  const [resumed] = useState(() => draft.found && adopt(given.initialValues, draft.found.content))
  return useFormWith(given, { draft, resumed, keep: (values) => values })
}

/** The same with a draft of the caller's own making. */
export function useFormWith<V extends Values, S = void>(given: ContractForm<V, S>, keeping: Keeping<V, S>) {
  const { schema, initialValues, labels, save } = given
  const { draft, keep, onReset } = keeping
  const [start] = useState(() => ({ saved: initialValues, values: keeping.resumed ?? initialValues }))
  const [restoredAt, setRestoredAt] = useState(
    isSameForm(start.saved, start.values) ? null : (draft.found?.at ?? null),
  )
  const form: UseFormReturnType<V> = useForm<V>({
    initialValues: start.values,
    validate: (values) => fieldErrors(schema, values),
    validateInputOnBlur: false,
    clearInputErrorOnChange: true,
    onValuesChange(values) {
      if (isSameForm(values, form.getInitialValues())) draft.forget()
      else draft.keep(keep(values))
    },
  })
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<Explanation | null>(null)
  const saved = useRef(false)
  const dirty = form.isDirty()

  /** Shows values that differ from those that count as saved. */
  const show = (values: V, savedValues: V) => {
    form.resetDirty(savedValues)
    form.setValues(values)
    form.resetDirty(savedValues)
  }
  const { resetDirty } = form
  useLayoutEffect(() => resetDirty(start.saved), [resetDirty, start])

  const reset = () => {
    form.reset()
    draft.forget()
    setRestoredAt(null)
    setProblem(null)
    onReset?.()
  }
  const finish = (sent: V, after: V | undefined) => {
    // At once: the page may be left before the next one is there.
    draft.forget()
    setRestoredAt(null)
    // Who went on typing while it was being saved loses nothing.
    if (after && isSameForm(form.getValues(), sent)) show(after, after)
    else form.resetDirty(after ?? sent)
  }
  const submit = async () => {
    setProblem(null)
    if (form.validate().hasErrors) return focusSummary()
    setSaving(true)
    try {
      saved.current = true
      const values = form.getValues()
      const answer = await save(values)
      finish(values, keeping.valuesAfter?.(answer))
      await given.onSaved?.(answer)
    } catch (error) {
      const fields = serverFieldErrors(error)
      form.setErrors(fields)
      setProblem(Object.keys(fields).length > 0 || error instanceof Unsettled ? null : explain(error))
      focusSummary()
    } finally {
      saved.current = false
      setSaving(false)
    }
  }

  const errors: FormError[] = Object.entries(form.errors).flatMap(([field, message]) =>
    typeof message === 'string' ? [{ field, label: labels[field] ?? field, message }] : [],
  )
  return {
    form,
    show,
    field: (name: keyof V & string) => ({
      ...form.getInputProps(name),
      id: fieldId(name),
      name,
      label: labels[name] ?? name,
    }),
    check: (name: keyof V & string) => ({
      ...form.getInputProps(name, { type: 'checkbox' }),
      id: fieldId(name),
      name,
      label: labels[name] ?? name,
    }),
    /** Asked at the moment of leaving, so that saving and going on is not mistaken for leaving. */
    isDirty: () => !saved.current && form.isDirty(),
    layout: {
      onSubmit: () => void submit(),
      errors,
      problem,
      isDirty: dirty,
      isSaving,
      onReset: reset,
      restored: restoredAt === null ? null : { at: restoredAt, onDiscard: reset },
    },
  }
}

export function fieldId(name: string): string {
  return `field-${name.replaceAll('.', '-')}`
}

/** Answers what leads to the summary of errors: once it is drawn, and no dialog lies above it any more. */
export function useWayToSummary(isCovered: boolean): () => void {
  const isWanted = useRef(false)
  useEffect(() => {
    if (!isWanted.current || isCovered) return
    isWanted.current = false
    focusSummary()
  })
  return useCallback(() => {
    isWanted.current = true
  }, [])
}

function focusSummary(): void {
  requestAnimationFrame(() => {
    const summary = document.querySelector<HTMLElement>('[data-error-summary]')
    summary?.focus({ preventScroll: true })
    summary?.scrollIntoView({ block: 'center' })
  })
}
