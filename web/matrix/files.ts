import type { FileFormat } from '#contract/platform/file-formats.ts'
import { exportTraining, type trainingForms } from '#contract/matrix/training.ts'
import { fetchFile } from '#web/api/client.ts'
import type { Downloadable } from '#web/lists/download/Download.tsx'
import type { RowQuery } from './useRows.ts'

type Form = (typeof trainingForms)[number]
const forms: readonly { form: Form; title: string; about: string; note?: string }[] = [
  { form: 'matrix', title: 'Matrix', about: 'A row for each person, a column for each video.' },
  {
    form: 'cells',
    title: 'Details',
    about: 'A row for each person and video, with every date and reason.',
    note: 'Both hold all videos that the filters find, also those that you have left out here.',
  },
]

/** The people and videos of the filters as files. */
export function filesOf(orgId: string, query: RowQuery): readonly Downloadable[] {
  // Dates and reasons are those of now, and not of an earlier day.
  return (query.on ? forms.slice(0, 1) : forms).map(({ form, title, about, note }) => ({
    title,
    about,
    note,
    name: `training-${form}${query.on ? `-of-${query.on}` : ''}`,
    read: (format: FileFormat) =>
      fetchFile(exportTraining, { params: { orgId }, query: { ...query, form, format } }),
  }))
}
