import { Checkbox, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useState } from 'react'
import { exportEvidence, type exportFormats } from '#contract/platform/exports.ts'
import { fetchFile } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { offerDated } from '#web/ui/browser/download.ts'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import type { ExportProps } from './ExportEvidence.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'

type Format = (typeof exportFormats)[number]
const formats: Record<Format, { label: string; means: string; ending: string }> = {
  csv: {
    label: 'CSV',
    means: 'One line for each part that was played: for spreadsheets, and for checking our figures.',
    ending: 'csv',
  },
  xapi: {
    label: 'xAPI statements',
    means: 'The video profile as JSON: for a learning record store.',
    ending: 'xapi.json',
  },
}

/** What was recorded, as it was recorded. */
export function ExportDialog({ orgId, video, onClose }: ExportProps & { onClose: () => void }) {
  const [format, setFormat] = useState<Format>('csv')
  const [days, setDays] = useState({ from: '', until: '' })
  const [isPseudonymous, setPseudonymous] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    setError(null)
    try {
      const query = {
        format,
        ...(video ? { videoId: video.id } : {}),
        ...(days.from ? { from: days.from } : {}),
        ...(days.until ? { until: days.until } : {}),
        pseudonymous: isPseudonymous ? ('yes' as const) : ('no' as const),
      }
      const file = await fetchFile(exportEvidence, { params: { orgId }, query })
      offerDated(file, 'evidence', formats[format].ending)
      onClose()
    } catch (failure) {
      setError(sentence(failure))
    } finally {
      setBusy(false)
    }
  }
  return (
    <FormDialog
      title={video ? `Export the evidence of ${video.title}` : 'Export viewing evidence'}
      submitLabel="Export"
      isBusy={isBusy}
      onSubmit={save}
      onClose={onClose}
    >
      <RadioChoices
        label="Format"
        value={format}
        onChange={(chosen) => setFormat(chosen === 'xapi' ? 'xapi' : 'csv')}
        choices={choicesOf(formats)}
      />
      {(['from', 'until'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          label={end === 'from' ? 'First day' : 'Last day'}
          description={end === 'from' ? 'Left empty: everything that is kept. Days are UTC.' : undefined}
          value={days[end]}
          onChange={({ currentTarget }) => setDays({ ...days, [end]: currentTarget.value })}
        />
      ))}
      <Checkbox
        label="Without names"
        description="People and viewing sessions get names that hold for this file alone."
        checked={isPseudonymous}
        onChange={({ currentTarget }) => setPseudonymous(currentTarget.checked)}
      />
      <p>
        You need not take our word for a figure:{' '}
        <a href="/recompute.mjs" download>
          this script
        </a>{' '}
        computes shares, times, completions and curves anew from the CSV file. Exports are noted in the audit
        log.
      </p>
      {error && (
        <Notice tone="danger" role="alert">
          {error}
        </Notice>
      )}
    </FormDialog>
  )
}
