import { useMemo } from 'react'
import * as z from 'zod/mini'
import {
  densities,
  pageSizes,
  tables,
  useTableChoice,
  type Look,
  type PageSize,
} from '#web/ui/table/choice.ts'
import type { Position } from '#web/ui/table/Pager.tsx'
import { columnsFrom, columnsText } from './columns.ts'

const place = z.catch(z.optional(z.string()), undefined)

/** What every list keeps in the address beside its own filters and its order. */
export const listParts = {
  /** A number that somebody looks for is one in the address too. */
  q: z.catch(z.pipe(z.union([z.string(), z.number()]), z.transform(String)), ''),
  offset: z.catch(z.coerce.number().check(z.int(), z.gte(0)), 0),
  after: place,
  before: place,
  /** Rows of a page, density and shown columns; what is left out is as this browser remembers it. */
  rows: z.catch(z.optional(z.pipe(z.coerce.number(), z.literal(pageSizes))), undefined),
  density: z.catch(z.optional(z.enum(densities)), undefined),
  cols: z.catch(z.optional(z.string()), undefined),
  /** The saved view that the reader came by. */
  view: z.catch(z.optional(z.uuid()), undefined),
}

const parts = z.object(listParts)
type Parts = z.output<typeof parts>

/** Which page of the list, in the words of the API. */
export function pageQuery({ offset, after, before, rows }: Omit<Parts, 'q' | 'density' | 'cols' | 'view'>) {
  const limit = rows ?? tables.rows()
  return after === undefined && before === undefined ? { offset, limit } : { after, before, limit }
}

type Keyed = { key: string; isName?: boolean; isExtra?: boolean }
type ChangeLook = (patch: Partial<Omit<Parts, 'q' | 'view'>>) => void

/**
 * How the table of a list looks: as the address says, and where it says nothing, as this browser remembers. A change goes to both.
 */
export function useListLook<C extends Keyed>(
  table: string,
  columns: readonly C[],
  [state, change]: readonly [Pick<Parts, 'offset' | 'density' | 'cols'>, ChangeLook],
) {
  const stored = useTableChoice(table)
  const look = useMemo<Look>(
    () => ({
      density: state.density ?? stored.density,
      columns: state.cols === undefined ? stored.columns : columnsFrom(state.cols, columns),
    }),
    [state.density, state.cols, stored.density, stored.columns, columns],
  )
  const isReset = (next: Partial<Look>) => next.density !== undefined && next.columns !== undefined
  return {
    look,
    view: {
      table,
      columns,
      look,
      onLook: (next: Partial<Look>) =>
        change(
          isReset(next)
            ? { density: undefined, cols: undefined }
            : {
                ...(next.density ? { density: next.density } : {}),
                ...(next.columns ? { cols: columnsText(next.columns, columns) } : {}),
              },
        ),
    },
    pager: {
      offset: state.offset,
      onOffset: (_offset: number, position: Position) =>
        change({ after: undefined, before: undefined, ...position }),
      onLimit: (rows: PageSize) => {
        tables.setRows(rows)
        change({ rows })
      },
    },
  }
}
