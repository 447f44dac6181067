import { useForm, type UseFormReturnType } from '@mantine/form'
import { useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { fieldProblems } from '#contract/problems.ts'
import { ApiError, explain, type Explanation } from './errors.ts'

type Values = Record<string, unknown>
type FormSchema = z.ZodMiniType

function sentenceOf(code: string): string {
  return Object.hasOwn(fieldProblems, code)
    ? fieldProblems[code as keyof typeof fieldProblems]
    : fieldProblems.invalid
}

/** Field path to sentence, from a schema of the contract; `{}` when the values are good. */
export function fieldErrors(schema: FormSchema, values: unknown): Record<string, string> {
  const result = schema.safeParse(values)
  const errors: Record<string, string> = {}
  for (const issue of result.error?.issues ?? []) {
    const missing = issue.code === 'invalid_type' && (issue.input === undefined || issue.input === null)
    errors[issue.path.join('.')] ??= sentenceOf(missing ? 'required' : issue.message)
  }
  return errors
}

/** Field path to sentence, from an answer of the server. */
export function serverFieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(
    Object.entries(error.problem?.fields ?? {}).map(([name, codes]) => [
      name,
      sentenceOf(codes[0] ?? 'invalid'),
    ]),
  )
}

export type ContractForm<V extends Values> = {
  schema: FormSchema
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
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-error-summary]')?.focus())
}
