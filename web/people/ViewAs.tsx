import { Textarea } from '@mantine/core'
import { viewingMinutes } from '#contract/identity/view-as.ts'
import { useOneField } from '../api/oneField.ts'
import { startViewing } from '../session/viewing.ts'
import { FormDialog } from '../ui/FormDialog.tsx'
import { plural } from '../ui/format.ts'
import type { AccessProps } from '../organizations/access.ts'

/** Asks why, and then shows the console as that person sees it. */
export function ViewAs({ user, onClose }: AccessProps) {
  const { field, submit, isBusy } = useOneField('reason', '', (reason) =>
    startViewing({ userId: user.id, reason }),
  )
  return (
    <FormDialog
      title={`View as ${user.name}?`}
      submitLabel="Start viewing"
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        For {plural(viewingMinutes, 'minute')} you see what they see, in every tab of this browser. You cannot
        change anything, and their own work goes on undisturbed.
      </p>
      <Textarea
        {...field}
        label="Reason"
        description="The audit log keeps it; the administrators of the organization can read it."
        placeholder="For example: they report that a list stays empty"
        autosize
        minRows={2}
        maxLength={500}
      />
    </FormDialog>
  )
}
