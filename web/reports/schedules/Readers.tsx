import { Textarea } from '@mantine/core'
import { isAddress } from '#contract/identity/addresses.ts'
import { mostAddresses, type AddressState, type ReportSchedule } from '#contract/reports/report-schedules.ts'
import { StatusBadge, type Tone } from '#web/ui/StatusBadge.tsx'
import shapes from '#web/ui/shapes.module.css'
import { addressStateLabels } from './labels.ts'

type Known = ReportSchedule['addresses']

const tones: Record<AddressState, Tone> = { waiting: 'info', confirmed: 'success', ended: 'neutral' }

/** One a line. Who has ended it is not written to again, and so is not among those to be changed. */
export const textOf = (known: Known): string =>
  known.flatMap(({ address, state }) => (state === 'ended' ? [] : [address])).join('\n')

export const typedIn = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)

/** What is wrong with them, as a sentence; null: nothing. */
export function faultOf(addresses: readonly string[]): string | null {
  const wrong = addresses.find((one) => !isAddress(one))
  if (wrong !== undefined) return `“${wrong}” is not an email address.`
  return addresses.length > mostAddresses
    ? `A report goes to ${mostAddresses} further addresses at most.`
    : null
}

type Props = { text: string; known: Known; onChange: (text: string) => void }

/** To whom it goes beside its owner, and who of them has agreed. */
export function Readers({ text, known, onChange }: Props) {
  return (
    <>
      <Textarea
        label="Also to"
        description={`Up to ${mostAddresses} email addresses, one a line. Each is asked by a mail first, and gets nothing before somebody there agrees.`}
        rows={2}
        value={text}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      />
      {known.length > 0 && (
        <ul aria-label="Who has agreed">
          {known.map(({ address, state }) => (
            <li key={address} className={shapes.row}>
              <StatusBadge tone={tones[state]}>{addressStateLabels[state]}</StatusBadge> {address}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
