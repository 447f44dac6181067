import { encodeQR } from 'qr'
import type { Pen } from './pages/typeset.ts'

type Place = {
  x: number
  y: number
  size: number
  /** White cells around it; cameras look for four where nothing else is white. */
  border?: number
}

/** Draws a text that cameras read. */
export function drawQr({ doc }: Pen, text: string, { x, y, size, border = 1 }: Place): void {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border })
  const cell = size / rows.length
  for (const [row, cells] of rows.entries())
    for (const [column, isDark] of cells.entries())
      if (isDark) doc.rect(x + column * cell, y + row * cell, cell, cell)
  doc.fill('#000000')
}
