import { useState, type FormEvent } from 'react'
import { explain, type Explanation } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'

export type Errors = Record<string, string>

type Handlers = {
  /** Field name to sentence; the server is asked only when there is none. */
  check: (values: Record<string, string>) => Errors
  send: (values: Record<string, string>) => Promise<unknown>
}

/** One form: checked here, then sent; what is wrong appears at its field or above the form, and takes the focus. */
export function useSubmit({ check, send }: Handlers) {
  const [errors, setErrors] = useState<Errors>({})
  const [problem, setProblem] = useState<Explanation | null>(null)
  const [isBusy, setBusy] = useState(false)

  const fail = (form: HTMLFormElement, found: Errors, what: Explanation | null) => {
    setErrors(found)
    setProblem(what)
    requestAnimationFrame(() => {
      const target = form.querySelector<HTMLElement>(what ? '[data-notice]' : '[aria-invalid=true]')
      target?.focus()
    })
  }

  const run = async (form: HTMLFormElement) => {
    const values = Object.fromEntries(
      Array.from(new FormData(form), ([name, value]) => [name, typeof value === 'string' ? value : '']),
    )
    const found = check(values)
    if (Object.keys(found).length > 0) return fail(form, found, null)
    setErrors({})
    setProblem(null)
    setBusy(true)
    try {
      await send(values)
    } catch (error) {
      const fields = serverFieldErrors(error)
      fail(form, fields, Object.keys(fields).length > 0 ? null : explain(error))
    } finally {
      setBusy(false)
    }
  }

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isBusy) void run(event.currentTarget)
  }
  // What is being changed is no longer what was wrong.
  const onInput = ({ target }: FormEvent<HTMLFormElement>) => {
    if (!(target instanceof HTMLInputElement) || errors[target.name] === undefined) return
    setErrors(Object.fromEntries(Object.entries(errors).filter(([name]) => name !== target.name)))
  }
  // Who is quicker than the script would send it to the address: outside of a dialog, this method sends nothing.
  return { form: { noValidate: true, method: 'dialog', onSubmit, onInput }, errors, problem, isBusy }
}

export function required(values: Record<string, string>, names: readonly string[]): Errors {
  const missing = names.filter((name) => (values[name] ?? '').trim() === '')
  return Object.fromEntries(missing.map((name) => [name, 'Please fill this in.']))
}
