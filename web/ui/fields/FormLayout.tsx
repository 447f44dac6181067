import { Button } from '@mantine/core'
import type { FormEvent, MouseEvent, ReactNode } from 'react'
import { formatMoment } from '../format.ts'
import { MergeNote, type MergeNoteProps } from './MergeNote.tsx'
import { Notice } from '../feedback/Notice.tsx'
import { useOnline } from '../browser/useOnline.ts'
import classes from './FormLayout.module.css'
import notice from '../feedback/Notice.module.css'
import shapes from '../look/shapes.module.css'

export type FormLayoutProps = {
  onSubmit: () => void
  errors: readonly { field: string; label: string; message: string }[]
  /** What went wrong with the form as a whole. */
  problem: { title: string; detail: string } | null
  isDirty: boolean
  isSaving: boolean
  onReset: () => void
  /** What was typed before the page was left, and is in the form again; `at` in milliseconds since 1970. */
  restored?: { at: number; onDiscard: () => void } | null
  /** What somebody else has changed meanwhile. */
  merge?: MergeNoteProps | null
}

type Props = FormLayoutProps & {
  children: ReactNode
  submitLabel: string
  /** A link back to where one came from. */
  cancel?: ReactNode
  /** What has to be known before it is filled in. */
  note?: ReactNode
  /** A form that creates shows its buttons always; one that edits only when something changed. */
  isNew?: boolean
}

/** One column, a summary of errors that leads to the fields, and a last row to save by that stays in sight. */
export function FormLayout({ children, submitLabel, cancel, note, isNew = false, ...form }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.onSubmit()
  }
  const waits = !useOnline() && form.isSaving
  const isBarShown = isNew || form.isDirty || form.isSaving
  return (
    <form data-part="form" className={`${shapes.stack} ${shapes.narrow}`} noValidate onSubmit={submit}>
      <Summary errors={form.errors} problem={form.problem} />
      {note}
      {form.restored && <Restored {...form.restored} />}
      {form.merge && <MergeNote {...form.merge} />}
      <div className={`${shapes.card} ${shapes.stack} ${classes.fields}`} data-part="fields">
        {children}
        {isBarShown && (
          <div ref={markStuck} className={`${shapes.row} ${classes.acts}`} data-part="save">
            <Button type="submit" loading={form.isSaving}>
              {submitLabel}
            </Button>
            {isNew ? (
              cancel
            ) : (
              <Button variant="default" type="button" onClick={form.onReset}>
                Undo changes
              </Button>
            )}
            <p role="status" className={shapes.end}>
              {waits
                ? 'You are offline: saved as soon as you are back.'
                : !isNew && 'You have unsaved changes.'}
            </p>
          </div>
        )}
      </div>
    </form>
  )
}

/** Says on the element itself whether it is held at the bottom of the window, over what does not fit. */
function markStuck(row: HTMLElement | null) {
  if (!row) return undefined
  const edge = new IntersectionObserver(
    ([seen]) => {
      const isBelow = seen && seen.boundingClientRect.bottom > (seen.rootBounds?.bottom ?? innerHeight)
      row.toggleAttribute('data-stuck', Boolean(isBelow))
    },
    { rootMargin: '0px 0px -1px', threshold: 1 },
  )
  edge.observe(row)
  return () => edge.disconnect()
}

function Restored({ at, onDiscard }: { at: number; onDiscard: () => void }) {
  const discard = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    const { form } = currentTarget
    onDiscard()
    form?.querySelector<HTMLElement>('[data-part="fields"] :is(input, textarea, select)')?.focus()
  }
  return (
    <Notice
      tone="info"
      action={
        <Button variant="default" type="button" onClick={discard}>
          Discard
        </Button>
      }
    >
      <p role="status">Your unsaved changes from {formatMoment(at)} were brought back.</p>
    </Notice>
  )
}

function Summary({ errors, problem }: Pick<FormLayoutProps, 'errors' | 'problem'>) {
  if (errors.length === 0 && !problem) return null
  return (
    <div className={notice.notice} data-tone="danger" role="alert" tabIndex={-1} data-error-summary>
      {problem && (
        <p>
          <strong>{/[.!?]$/.test(problem.title) ? problem.title : `${problem.title}.`}</strong>{' '}
          {problem.detail}
        </p>
      )}
      {errors.length > 0 && (
        <>
          <p>
            <strong>
              {errors.length === 1 ? 'Please check one field' : `Please check ${errors.length} fields`}
            </strong>
          </p>
          <ul className={shapes.bullets}>
            {errors.map(({ field, label, message }) => (
              <li key={field}>
                <a href={`#field-${field.replaceAll('.', '-')}`}>{label}</a>: {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
