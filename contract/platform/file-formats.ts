import * as z from 'zod/mini'

/** What a table can be taken along as: all of it as text, a workbook for Excel, or pages to print. */
export const fileFormats = ['csv', 'xlsx', 'pdf'] as const
export type FileFormat = (typeof fileFormats)[number]

/** Part of the query of an export. */
export const FileFormat = z._default(z.enum(fileFormats), 'csv')

/** How much of a table a workbook and pages take, so that making them stays cheap; they say so, and CSV has no limit. */
export const mostRows = { xlsx: 50_000, pdf: 500 } as const
/** Of wide tables they take fewer rows. */
export const mostCells = { xlsx: 600_000, pdf: 10_000 } as const
