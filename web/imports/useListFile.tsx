import { Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import '../ui/fields/fields.ts'
import { formatNumber } from '../ui/format.ts'
import { RadioChoices } from '../ui/fields/RadioChoices.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { decode, readBytes, type Encoding, type Reading } from './encodings.ts'
import classes from './Spelling.module.css'
import { isOldWorkbook, isZip } from './signatures.ts'
import type { Workbook } from './workbook.ts'

/** What may be chosen for a list. */
export const listFiles =
  '.csv,.tsv,.txt,.xlsx,text/csv,text/plain,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

type Takers = { onText: (text: string, file: File) => unknown; onFault: (sentence: string) => void }
type EncodingQuestion = { file: File; bytes: Uint8Array; readings: readonly Reading[] }

/** Reads a list from a file by its content, whatever its name is; `question` stands where its bytes do not tell how letters are written. */
export function useListFile({ onText, onFault }: Takers): {
  take: (file: File) => Promise<void>
  isBusy: boolean
  question: ReactNode
} {
  const [asked, setAsked] = useState<EncodingQuestion | null>(null)
  const [isBusy, setBusy] = useState(false)
  const read = async (file: File) => {
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isOldWorkbook(bytes)) return onFault(oldWorkbook)
    if (isZip(bytes)) {
      const { readWorkbook } = await import('./workbook.ts')
      const workbook = await readWorkbook(bytes)
      return 'text' in workbook ? onText(workbook.text, file) : onFault(faultText(workbook))
    }
    const found = readBytes(bytes)
    if ('text' in found) return onText(found.text, file)
    return found.readings.length > 0 ? setAsked({ file, bytes, readings: found.readings }) : onFault(noText)
  }
  const take = async (file: File) => {
    setAsked(null)
    setBusy(true)
    try {
      await read(file)
    } catch {
      onFault('Please close it where it is open, and choose it again.')
    } finally {
      setBusy(false)
    }
  }
  const answer = (encoding: Encoding | null) => {
    setAsked(null)
    if (asked && encoding) onText(decode(asked.bytes, encoding), asked.file)
  }
  return { take, isBusy, question: asked && <Spelling {...asked} onAnswer={answer} /> }
}

const noText = 'It holds no text. Save the list as .xlsx or CSV, and choose that file.'
const oldWorkbook =
  'It is a workbook of an old Excel (.xls), or one with a password. Open it in Excel, save it as .xlsx without a password, and choose that file.'

function faultText({ fault, cell }: Exclude<Workbook, { text: string }>): string {
  if (fault === 'too_large')
    return 'Its first sheets have more than 200,000 rows or 100 columns. Please divide it into smaller ones, and delete what stands far away from the list.'
  if (fault === 'no_workbook')
    return 'It is no workbook of Excel. Open it where it was made, and save it as .xlsx or CSV.'
  if (fault === 'formula' && cell)
    return `The formula in row ${formatNumber(cell.row)}, column ${formatNumber(cell.column)} has no result yet. Open the workbook in a spreadsheet, save it, and choose it again.`
  return 'It is damaged. Open it in a spreadsheet, save it again, and choose that file.'
}

const shownAtFirst = 6

type SpellingProps = EncodingQuestion & { onAnswer: (encoding: Encoding | null) => void }

/** Every way to read the file, with lines of it: only people see which of them are names. */
function Spelling({ file, readings, onAnswer }: SpellingProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? readings : readings.slice(0, shownAtFirst)
  const more = readings.length - shown.length
  const answer = readings.find(({ encoding }) => encoding === chosen)?.encoding
  return (
    <div className={shapes.stack}>
      <RadioChoices
        label="In which of these are the letters right?"
        description={`${file.name} does not say how its letters are written, so look at its lines below.`}
        value={chosen}
        onChange={setChosen}
        choices={shown.map(({ encoding, name, sample }) => ({
          value: encoding,
          label: name,
          means: sample.map((line) => (
            <span key={line} className={classes.line}>
              {line}
            </span>
          )),
        }))}
      />
      <div className={shapes.row}>
        <Button disabled={!answer} onClick={() => answer && onAnswer(answer)}>
          Read the file like this
        </Button>
        {more > 0 && (
          <Button variant="default" onClick={() => setWhole(true)}>
            None of them: show more
          </Button>
        )}
        <Button variant="default" onClick={() => onAnswer(null)}>
          Choose another file
        </Button>
      </div>
    </div>
  )
}
