import '@mantine/core/styles/Checkbox.layer.css'
import { Checkbox } from '@mantine/core'
import { worthWaves, type WavePlan } from '#contract/transmissions/waves.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import type { Draft } from './draft.ts'
import { minutesText } from '../waves.ts'

type Props = {
  draft: Draft
  recipients: number
  error: string | undefined
  onChange: (patch: Partial<Draft>) => void
}

const usual: WavePlan = { share: 5, waitMinutes: 60, size: null, pauseMinutes: 60 }
const shares = [1, 5, 10, 20]
const pauses = [15, 60, 240, 1_440]
const sizes = [100, 500, 2_000, 10_000]

/** Adds a number that was chosen elsewhere to the usual ones. */
const withOwn = (usualOnes: readonly number[], own: number | null) =>
  own === null || usualOnes.includes(own) ? usualOnes : [...usualOnes, own].sort((a, b) => a - b)

/** Offers waves for many people: a few of them get it first, and the others when that went well. */
export function WavesField({ draft: { waves, leaving }, recipients, error, onChange }: Props) {
  // Mails at an hour of people's own leave one zone after the other anyway.
  if (leaving?.inOwnZones) return null
  if (recipients < worthWaves && !waves) return null
  const set = (patch: Partial<WavePlan>) => onChange({ waves: { ...usual, ...waves, ...patch } })
  return (
    <div className={shapes.stack}>
      <Checkbox
        label="Send in waves"
        description="A small share gets it first, chosen by chance. When too many of those mails do not arrive, the others get nothing until somebody has looked at it."
        checked={waves !== null}
        id={fieldId('waves')}
        error={error}
        onChange={(event) => onChange({ waves: event.currentTarget.checked ? usual : null })}
      />
      {waves && (
        <fieldset className={shapes.row}>
          <legend className={shapes.sr}>Waves</legend>
          <NativeChoice
            label="First"
            value={waves.share}
            data={withOwn(shares, waves.share).map((share) => ({
              value: String(share),
              label: `${share}% of them`,
            }))}
            onChange={(event) => set({ share: Number(event.currentTarget.value) })}
          />
          <NativeChoice
            label="Then wait"
            value={waves.waitMinutes}
            data={withOwn(pauses, waves.waitMinutes).map((minutes) => ({
              value: String(minutes),
              label: minutesText(minutes),
            }))}
            onChange={(event) => set({ waitMinutes: Number(event.currentTarget.value) })}
          />
          <NativeChoice
            label="Then"
            value={waves.size ?? ''}
            data={[
              { value: '', label: 'All others at once' },
              ...withOwn(sizes, waves.size).map((size) => ({
                value: String(size),
                label: `${formatNumber(size)} at a time`,
              })),
            ]}
            onChange={(event) => set({ size: Number(event.currentTarget.value) || null })}
          />
          {waves.size !== null && (
            <NativeChoice
              label="Between two waves"
              value={waves.pauseMinutes}
              data={withOwn(pauses, waves.pauseMinutes).map((minutes) => ({
                value: String(minutes),
                label: minutesText(minutes),
              }))}
              onChange={(event) => set({ pauseMinutes: Number(event.currentTarget.value) })}
            />
          )}
        </fieldset>
      )}
      {waves && recipients > 0 && (
        <p className={shapes.hint}>
          {plural(firstOf(waves, recipients), 'person gets', 'people get')} it first.
        </p>
      )}
    </div>
  )
}

const firstOf = ({ share }: WavePlan, recipients: number) =>
  Math.min(recipients, Math.max(20, Math.ceil((recipients * share) / 100)))
