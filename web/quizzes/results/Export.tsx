import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { exportQuizResults, type QuizResults } from '#contract/quiz-results.ts'
import { fetchFile } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { offer } from '#web/ui/download.ts'
import { toast } from '#web/ui/toasts.ts'

async function save(versionId: string | null, videoId: string, rows: Rows): Promise<void> {
  const query = { rows, ...(versionId ? { versionId } : {}) }
  const file = await fetchFile(exportQuizResults, { params: { videoId }, query })
  offer(file, `quiz-${rows}-${new Date().toISOString().slice(0, 10)}.csv`)
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
    try {
      await save(versionId, videoId, rows)
    } catch (error) {
      toast.failure(sentence(error))
    } finally {
      setBusy(null)
    }
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
