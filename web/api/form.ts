import { useForm, type UseFormReturnType } from '@mantine/form'
import { useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { explain, type Explanation } from './errors.ts'
import { fieldErrors, serverFieldErrors } from './fieldErrors.ts'

type Values = Record<string, unknown>

export type ContractForm<V extends Values> = {
  schema: z.ZodMiniType
  initialValues: V
  /** Field name to the label that people see; also used by the summary of errors. */
  labels: Record<string, string>
  /** Saves; what it throws is shown in the form. Navigate away in here when all is well. */
  save: (values: V) => Promise<unknown>
}

export type FormError = { field: string; label: string; message: string }

/**
 * A form whose rules are a schema of the contract. `layout` goes to `FormLayout`, `field(name)` to the inputs,
 * `isDirty` to `UnsavedGuard`.
 */
export function useContractForm<V extends Values>({ schema, initialValues, labels, save }: ContractForm<V>) {
  const form: UseFormReturnType<V> = useForm<V>({
    initialValues,
    validate: (values) => fieldErrors(schema, values),
    validateInputOnBlur: false,
    clearInputErrorOnChange: true,
  })
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<Explanation | null>(null)
  const saved = useRef(false)
  const dirty = form.isDirty()

  const submit = async () => {
    setProblem(null)
    if (form.validate().hasErrors) return focusSummary()
    setSaving(true)
    try {
      saved.current = true
      await save(form.getValues())
      form.resetDirty()
    } catch (error) {
      saved.current = false
      const fields = serverFieldErrors(error)
      form.setErrors(fields)
      setProblem(Object.keys(fields).length > 0 ? null : explain(error))
      focusSummary()
    } finally {
      setSaving(false)
    }
  }

  const errors: FormError[] = Object.entries(form.errors).flatMap(([field, message]) =>
    typeof message === 'string' ? [{ field, label: labels[field] ?? field, message }] : [],
  )
  return {
    form,
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
    layout: { onSubmit: () => void submit(), errors, problem, isDirty: dirty, isSaving, onReset: form.reset },
  }
}

export function fieldId(name: string): string {
  return `field-${name.replaceAll('.', '-')}`
}

function focusSummary(): void {
  requestAnimationFrame(() => {
    const summary = document.querySelector<HTMLElement>('[data-error-summary]')
    summary?.focus({ preventScroll: true })
    summary?.scrollIntoView({ block: 'center' })
  })
}
