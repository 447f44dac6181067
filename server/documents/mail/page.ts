import { type Brand, brandOf } from '#contract/directory/brand.ts'
import { escapeHtml } from '../../platform/http/pages/html.ts'
import { face, lines, type Part } from './parts.ts'
import { firstSign } from '#contract/platform/text/text.ts'

/** Whose mail it is: an organization's, or the product's own. */
export type MailBrand = {
  name: string
  /** As a whole address, and reachable for whoever gets the mail. */
  logo: { src: string; width: number; height: number } | null
  accentColor: string | null
  isProduct: boolean
}

export type Text = { subject: string; text: string; html: string }

type Mail = {
  brand: MailBrand
  locale?: string
  subject: string
  parts: readonly Part[]
  /** Who sent it, below everything. */
  footer: string
  footerLink?: { label: string; url: string } | undefined
}

/** The same mail as a page and as text. */
export function drawMail({ brand, locale = 'en', subject, parts, footer, footerLink }: Mail): Text {
  const look = brandOf(brand.accentColor)
  const said = parts.map(({ text }) => text).filter((text) => text !== '')
  return {
    subject,
    text: said.join('\n\n'),
    html: pageOf({
      brand,
      locale,
      subject,
      footer: `${lines(footer)}${footerLink ? `<br><a href="${escapeHtml(footerLink.url)}" class="m-d" style="color:#5a6760">${escapeHtml(footerLink.label)}</a>` : ''}`,
      look,
      rows: parts.map(({ html }) => html(look)).join('\n'),
    }),
  }
}

/** Mail programs that keep it show their dark theme in these colors; the others make their own. */
const styleOf = ({ dark }: Brand) => `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){.m-bg{background:#0e1412!important}.m-card{background:#151c19!important;border-color:#26312c!important}.m-t{color:#cad4ce!important}.m-h{color:#eef4f0!important}.m-d{color:#94a39b!important}.m-ln{border-color:#26312c!important}.m-w{background:#23a184!important}.m-l{background:#7d8c84!important}.m-pb{background:#22302a!important}.m-o{background:${dark.band}!important}.m-on{color:${dark.onBand}!important}.m-b{background:${dark.button}!important}.m-bt{color:${dark.onButton}!important}.m-a{color:${dark.link}!important}}
@media (max-width:600px){.m-p{padding-left:20px!important;padding-right:20px!important}.m-x{padding:0!important}.m-card{border-radius:0!important;border-left:0!important;border-right:0!important}}`

const logoHeight = 28

/** On white, because most logos are drawn for it; without one the first letter, or the sign of the product. */
function markOf({ name, logo, isProduct }: MailBrand, { light }: Brand): string {
  if (logo) {
    const width = Math.min(120, Math.round((logo.width / logo.height) * logoHeight))
    return `<td width="${width + 12}" bgcolor="#ffffff" style="width:${width + 12}px;padding:4px 6px;background:#ffffff;border-radius:6px;font-size:0;line-height:0"><img src="${escapeHtml(logo.src)}" alt="" width="${width}" style="display:block;width:${width}px;height:auto;border:0"></td>`
  }
  const sign = isProduct ? '&#9654;&#65038;' : escapeHtml(firstSign(name.toUpperCase()))
  return `<td width="28" height="28" align="center" aria-hidden="true" bgcolor="#ffffff" style="${face};width:28px;height:28px;background:#ffffff;border-radius:14px;font-size:13px;line-height:28px;font-weight:700;color:${light.band}">${sign}</td>`
}

/** `rows` and `footer` are HTML. */
type Page = { brand: MailBrand; locale: string; look: Brand; subject: string; rows: string; footer: string }

function pageOf({ brand, locale, look, subject, rows, footer }: Page): string {
  const { band, onBand } = look.light
  const table = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'
  return `<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(subject)}</title>
<style>${styleOf(look)}</style></head>
<body class="m-bg" style="margin:0;padding:0;background:#f1f3f1">
<table ${table} width="100%" class="m-bg" bgcolor="#f1f3f1" style="background:#f1f3f1"><tr><td align="center" class="m-x" style="padding:24px 16px">
<table ${table} width="100%" class="m-card" bgcolor="#ffffff" style="width:100%;max-width:560px;background:#ffffff;border:1px solid #e2e6e2;border-radius:12px;overflow:hidden">
<tr><td class="m-o m-p" bgcolor="${band}" style="background:${band};padding:14px 40px"><table ${table}><tr>${markOf(brand, look)}<td class="m-on" style="${face};padding-left:12px;font-size:15px;line-height:20px;font-weight:600;color:${onBand};word-break:break-word">${escapeHtml(brand.name)}</td></tr></table></td></tr>
${rows}
<tr><td height="28" style="height:28px;font-size:0;line-height:0">&nbsp;</td></tr>
</table>
<table ${table} width="100%" style="width:100%;max-width:560px"><tr><td class="m-p m-d" style="${face};padding:16px 40px;font-size:13px;line-height:20px;color:#5a6760">${footer}</td></tr></table>
</td></tr></table>
</body>
</html>
`
}
