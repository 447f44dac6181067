import { Button } from '@mantine/core'
import { useState } from 'react'
import {
  importTargets,
  listImportRows,
  readImport,
  updateImport,
  type Import,
  type ImportMapping,
  type ImportOptions,
} from '#contract/imports/imports.ts'
import { explain, type Explanation } from '../api/errors.ts'
import { useChange } from '../api/query.ts'
import { usePageSearch } from '../layout/page.ts'
import { formatNumber, plural } from '../ui/format.ts'
import { NativeChoice } from '../ui/fields/NativeChoice.tsx'
import { Notice } from '../ui/feedback/Notice.tsx'
import { CancelDraft } from './CancelDraft.tsx'
import { search } from './search.ts'
import { optionLabels } from './labels.ts'
import { wholeStop } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'
import tableClasses from '#web/ui/table/DataTable.module.css'

type Props = { orgId: string; file: Import }

/** What each column is, with values from the file beside it, and how to go about it. */
export function Columns({ orgId, file }: Props) {
  const [mapping, setMapping] = useState<ImportMapping>(file.mapping)
  const [options, setOptions] = useState<ImportOptions>(file.options)
  const [problem, setProblem] = useState<Explanation | null>(null)
  const [, change] = usePageSearch(search)
  const save = useChange(updateImport, [readImport, listImportRows])
  const blockedReason = blockedReasonOf(mapping, options)
  const check = async () => {
    setProblem(null)
    try {
      await save.mutateAsync({
        params: { orgId, importId: file.id },
        body: { mapping, options },
        timeout: 60_000,
      })
      change({ step: 'check', outcome: undefined })
    } catch (error) {
      setProblem(explain(error))
    }
  }
  return (
    <>
      <p>
        <strong>{file.fileName}</strong> {plural(file.total, 'row')}, {plural(file.header.length, 'column')}
        {file.ragged.count > 0 && <Ragged {...file.ragged} />}
      </p>
      <Mapping file={file} mapping={mapping} onChange={setMapping} />
      <Options
        options={options}
        hasRoles={givesRoles(mapping, options)}
        types={typesIn(file, mapping)}
        onChange={setOptions}
      />
      {problem && (
        <Notice tone="danger" role="alert">
          <strong>{problem.title}</strong> {problem.detail}
        </Notice>
      )}
      <div className={shapes.row}>
        <Button
          loading={save.isPending}
          aria-disabled={blockedReason !== null}
          aria-describedby={blockedReason === null ? undefined : 'import-hindrance'}
          onClick={() => blockedReason === null && void check()}
        >
          Check the rows
        </Button>
        <CancelDraft importId={file.id} />
        {blockedReason !== null && (
          <span id="import-hindrance" className={shapes.hint} role="status">
            {blockedReason}
          </span>
        )}
      </div>
    </>
  )
}

function givesRoles(mapping: ImportMapping, { role }: ImportOptions): boolean {
  return role !== null || Object.values(mapping).includes('role')
}

/** Of the organization's own fields that columns are. */
const typesIn = ({ fields }: Import, mapping: ImportMapping) =>
  new Set(fields.flatMap(({ key, type }) => (Object.values(mapping).includes(`field:${key}`) ? [type] : [])))

function blockedReasonOf(mapping: ImportMapping, { matchBy }: ImportOptions): string | null {
  const targets = new Set(Object.values(mapping))
  if (matchBy === 'externalId' && !targets.has('externalId'))
    return 'Choose the column with the external ID: people are to be found by it.'
  if (matchBy === 'email' && !targets.has('email'))
    return 'Choose the column with the email: people are to be found by it.'
  if (!targets.has('email') && !targets.has('externalId'))
    return 'Choose the column with the email or the external ID: it tells people apart.'
  return null
}

function Ragged({ count, rows }: Import['ragged']) {
  const more = count > rows.length ? ' and more' : ''
  return (
    <span className={shapes.lead}>
      {' '}
      {plural(count, 'row has', 'rows have')} fewer or more cells than the first row: row {rows.join(', ')}
      {more}. The check says what becomes of them.
    </span>
  )
}

type MappingProps = { file: Import; mapping: ImportMapping; onChange: (mapping: ImportMapping) => void }

function Mapping({ file, mapping, onChange }: MappingProps) {
  const taken = new Map(Object.entries(mapping).map(([index, target]) => [target, index]))
  const columns = file.header.map((title, index) => ({ key: String(index), title, index }))
  const choose = (index: number, target: string) => {
    const others = Object.entries(mapping).filter(([key, value]) => key !== String(index) && value !== target)
    onChange(Object.fromEntries(target === '' ? others : [...others, [String(index), target]]))
  }
  return (
    <div className={shapes.card} data-part="table-card">
      <table className={tableClasses.table} data-part="table" data-density="normal">
        <caption className={shapes.sr}>Columns of the file</caption>
        <thead>
          <tr>
            <th scope="col">Column in the file</th>
            <th scope="col">First values</th>
            <th scope="col">Imported as</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ key, title, index }) => {
            const target = mapping[String(index)] ?? ''
            const name = title || `Column ${formatNumber(index + 1)}`
            return (
              <tr key={key}>
                <th scope="row" data-label="Column" data-dimmed={target === '' || undefined} {...wholeStop}>
                  {name}
                </th>
                <td data-label="First values" data-dimmed {...wholeStop}>
                  {samplesOf(file, index) || '–'}
                </td>
                <td data-label="Imported as">
                  <NativeChoice
                    aria-label={`${name} is imported as`}
                    data={[
                      { value: '', label: 'Not imported' },
                      ...targetOptions(file, taken, String(index)),
                    ]}
                    value={target}
                    onChange={({ currentTarget }) => choose(index, currentTarget.value)}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function samplesOf({ sample }: Import, index: number): string {
  const values = sample.map((cells) => cells[index]?.trim() ?? '').filter(Boolean)
  return [...new Set(values)].slice(0, 3).join(' · ')
}

/** A target that another column has says so: choosing it takes it away from there. */
function targetOptions(file: Import, taken: ReadonlyMap<string, string>, index: string) {
  const own = file.fields.map(({ key, label }) => [`field:${key}`, label] as const)
  return [...Object.entries(importTargets), ...own].map(([value, label]) => {
    const other = taken.get(value)
    const isElsewhere = other !== undefined && other !== index
    return { value, label: isElsewhere ? `${label} (instead of “${file.header[Number(other)]}”)` : label }
  })
}

type OptionsProps = {
  options: ImportOptions
  hasRoles: boolean
  types: ReadonlySet<Import['fields'][number]['type']>
  onChange: (options: ImportOptions) => void
}

function Options({ options, hasRoles, types, onChange }: OptionsProps) {
  const field = (name: keyof typeof optionLabels) => (
    <NativeChoice
      label={optionLabels[name].label}
      data={[...optionLabels[name].options]}
      value={optionLabels[name].write(options)}
      onChange={({ currentTarget }) =>
        onChange({ ...options, ...optionLabels[name].read(currentTarget.value) })
      }
    />
  )
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.grid}`} aria-label="What the import does">
      {field('matchBy')}
      {field('existing')}
      {field('emptyCells')}
      {field('createGroups')}
      {types.has('number') && field('decimalSign')}
      {types.has('date') && field('dateOrder')}
      {field('role')}
      {hasRoles && field('invite')}
    </section>
  )
}
