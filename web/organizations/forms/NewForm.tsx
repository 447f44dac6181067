import { Button } from '@mantine/core'
import { useRef, type ReactNode } from 'react'
import { UnsavedGuard } from '../../layout/UnsavedGuard.tsx'
import { FormLayout, type FormLayoutProps } from '../../ui/fields/FormLayout.tsx'

/** Two ways to submit a form that creates: to be done with it, or to go on with the next one. */
export function useAnother() {
  const wanted = useRef(false)
  return {
    isWanted: () => wanted.current,
    submit(isAnother: boolean, onSubmit: () => void) {
      wanted.current = isAnother
      onSubmit()
    },
  }
}

type Props = {
  form: { layout: FormLayoutProps; isDirty: () => boolean }
  another: ReturnType<typeof useAnother>
  /** Offers to go on with the next one. */
  hasAnother: boolean
  submitLabel: string
  cancel: ReactNode
  children: ReactNode
}

/** A form that creates, with its buttons and what keeps it from being lost. */
export function NewForm({ form, another, hasAnother, submitLabel, cancel, children }: Props) {
  const { onSubmit } = form.layout
  return (
    <>
      <FormLayout
        {...form.layout}
        onSubmit={() => another.submit(false, onSubmit)}
        isNew
        submitLabel={submitLabel}
        cancel={
          <>
            {cancel}
            {hasAnother && (
              <Button variant="default" type="button" onClick={() => another.submit(true, onSubmit)}>
                Save and add another
              </Button>
            )}
          </>
        }
      >
        {children}
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </>
  )
}
