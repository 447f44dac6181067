import { expect, test } from 'vitest'
import { trustHtml } from './trusted.ts'

const frame = 'HTMLIFrameElement srcdoc'
const mail =
  '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A &lt;b&gt;</title><style>@media (max-width:600px){.m-p{padding:0!important}}</style></head>' +
  `<body style="margin:0;font:16px 'Open Sans'"><p>Hello<br>you</p><a href="https://films.test/w/video/1?d=2">` +
  '<img src="/m/1/poster.jpg" alt="&quot;A&quot;" width="528"></a></body></html>'

test('style sheets and other text without a tag may be written', () => {
  expect(trustHtml('a > b{color:red}', 'Element innerHTML')).toBe('a > b{color:red}')
})

test('the player may draw its icons', () => {
  const icon =
    '<path d="M5 2.5 L-1,4z" fill="currentColor"/> <path fill-rule="evenodd" d="M1 2Z" fill="#fff" />'
  expect(trustHtml(icon, 'Element innerHTML')).toBe(icon)
})

test('a mail may be shown in a frame, and nowhere else', () => {
  expect(trustHtml(mail, frame)).toBe(mail)
  expect(trustHtml(mail, 'Element innerHTML')).toBeNull()
})

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)">',
  '<p onclick="alert(1)">a</p>',
  '<a href="javascript:alert(1)">a</a>',
  '<a href="java&#115;cript:alert(1)">a</a>',
  '<a href="//elsewhere.test/">a</a>',
  '<meta http-equiv="refresh" content="0;url=https://elsewhere.test">',
  '<form action="https://elsewhere.test"><input name="a"></form>',
  '<iframe srcdoc="a"></iframe>',
  '<svg><p>a</p></svg>',
  '<style>p{background:url(https://elsewhere.test)}</style>',
  '<style>@import "https://elsewhere.test"</style>',
  '<style>p{background:\\75rl(https://elsewhere.test)}</style>',
  '<style media="all">p{}</style>',
  '<style>p{}',
  '<!-- a -->',
  '<path d="M1 2" onclick="alert(1)"/>',
  '<path d="M1 2"/><script>alert(1)</script>',
  '<path d="url(https://elsewhere.test)"/>',
  '<p',
  '<p "<script>">',
])('nothing else passes, not even into a frame: %s', (html) => {
  expect(trustHtml(html, frame)).toBeNull()
  expect(trustHtml(`${mail}${html}`, frame)).toBeNull()
})
