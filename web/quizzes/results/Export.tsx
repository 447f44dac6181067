import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { exportQuizResults, type QuizResults } from '#contract/quizzes/quiz-results.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { offerDated } from '#web/ui/download.ts'

async function save(versionId: string | null, videoId: string, rows: Rows): Promise<void> {
  const query = { rows, ...(versionId ? { versionId } : {}) }
  const file = await fetchFile(exportQuizResults, { params: { videoId }, query })
  offerDated(file, `quiz-${rows}`, 'csv')
}

const files = [
  { rows: 'attempts', label: 'Export attempts' },
  { rows: 'answers', label: 'Export answers' },
] as const

type Rows = (typeof files)[number]['rows']

/** Everything behind the figures, as files for a spreadsheet. */
export function Export({ videoId, versionId }: Pick<QuizResults, 'videoId' | 'versionId'>) {
  const [busy, setBusy] = useState<string | null>(null)
  const take = async (rows: Rows) => {
    setBusy(rows)
    await attempt(() => save(versionId, videoId, rows))
    setBusy(null)
  }
  return files.map(({ rows, label }) => (
    <Button
      key={rows}
      variant="default"
      loading={busy === rows}
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void take(rows)}
    >
      {label}
    </Button>
  ))
}
