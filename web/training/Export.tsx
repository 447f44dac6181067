import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { exportTraining, type trainingForms } from '#contract/training.ts'
import { fetchFile } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { offer } from '#web/ui/download.ts'
import { toast } from '#web/ui/toasts.ts'
import type { RowQuery } from './useRows.ts'

type Form = (typeof trainingForms)[number]
const files: readonly { form: Form; label: string; title: string }[] = [
  { form: 'matrix', label: 'Export matrix', title: 'CSV: a row for each person, a column for each video' },
  {
    form: 'cells',
    label: 'Export details',
    title: 'CSV: a row for each person and video, with every date and reason',
  },
]

async function save({ orgId, query, form }: { orgId: string; query: RowQuery; form: Form }): Promise<void> {
  const file = await fetchFile(exportTraining, { params: { orgId }, query: { ...query, form } })
  offer(file, `training-${form}-${new Date().toISOString().slice(0, 10)}.csv`)
}

/** The people and videos of the filters, all of them, as files for a spreadsheet. */
export function Export({ orgId, query }: { orgId: string; query: RowQuery }) {
  const [busy, setBusy] = useState<Form | null>(null)
  const take = async (form: Form) => {
    setBusy(form)
    try {
      await save({ orgId, query, form })
    } catch (error) {
      toast.failure(sentence(error))
    } finally {
      setBusy(null)
    }
  }
  return files.map(({ form, label, title }) => (
    <Button
      key={form}
      variant="default"
      title={title}
      loading={busy === form}
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void take(form)}
    >
      {label}
    </Button>
  ))
}
