import {
  listTraining,
  readTraining,
  readTrainingCell,
  waiveTraining,
  type TrainingCell,
} from '#contract/matrix/training.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { toast } from '#web/ui/toasts.ts'
import { useWaiveFields, WaiveFields } from './WaiveFields.tsx'

type Props = { cell: TrainingCell; orgId: string; onClose: () => void }

/** Asks why, and until when. */
export function Waive({ cell: { person, video }, orgId, onClose }: Props) {
  const fields = useWaiveFields()
  const waive = useChange(waiveTraining, [readTraining, listTraining, readTrainingCell])
  const submit = async () => {
    if (!fields.isReady()) return
    try {
      const body = fields.read()
      await waive.mutateAsync({ params: { orgId, userId: person.id, videoId: video.id }, body })
      toast.success(`${person.name} need not watch ${video.title}.`)
      onClose()
    } catch (error) {
      fields.fail(error)
    }
  }
  return (
    <FormDialog
      title={`Waive ${person.name} for ${video.title}`}
      submitLabel="Waive"
      isBusy={waive.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <WaiveFields fields={fields} />
    </FormDialog>
  )
}
