interface Clipboard {
  program: string;
  html: string;
  /** The post's HTML without line breaks. "[picture]" stands for an attachment. */
  written: string;
}

const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Clipboard HTML in the form that each program writes. */
export const CLIPBOARDS: Clipboard[] = [
  {
    program: "Word for Windows: text and link",
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"><style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt;} --></style></head><body lang=EN-GB style='tab-interval:36.0pt'><!--StartFragment--><h2 style='margin-top:2.0pt'><span lang=EN-GB style='mso-ansi-language:EN-GB'>Tides<o:p></o:p></span></h2><p class=MsoNormal><b><span style='color:#C00000'>High</span></b><span lang=EN-GB> at <i>six</i>, <s>not seven</s>, see <a href="https://example.org/tides">the table</a>.<o:p></o:p></span></p><!--EndFragment--></body></html>`,
    written:
      '<h2>Tides</h2><p><strong>High</strong> at <em>six</em>, <s>not seven</s>, see <a href="https://example.org/tides">the table</a>.</p>',
  },
  {
    program: "Word for Windows: table",
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><body><!--StartFragment--><table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;border:none'><tr style='mso-yfti-irow:0;mso-yfti-firstrow:yes'><td width=150 valign=top style='width:112.7pt;border:solid windowtext 1.0pt'><p class=MsoNormal><b>Day<o:p></o:p></b></p></td><td width=150 valign=top style='width:112.7pt'><p class=MsoNormal>Time<o:p></o:p></p></td></tr><tr style='mso-yfti-irow:1;mso-yfti-lastrow:yes'><td width=150 valign=top><p class=MsoNormal>Monday<o:p></o:p></p></td><td width=150 valign=top><p class=MsoNormal><s>6:00</s> 7:00<o:p></o:p></p></td></tr></table><!--EndFragment--></body></html>`,
    written:
      "<table><tbody><tr><td><strong>Day</strong></td><td>Time</td></tr><tr><td>Monday</td><td><s>6:00</s> 7:00</td></tr></tbody></table>",
  },
  {
    program: "Word on the web: text and list",
    html: `<div class="OutlineElement Ltr SCXW1 BCX0" style="direction: ltr;"><p class="Paragraph SCXW1 BCX0" paraid="1" style="font-weight: normal; text-align: left;"><span data-contrast="auto" class="TextRun SCXW1 BCX0" style="font-weight: bold; font-size: 11pt;"><span class="NormalTextRun SCXW1 BCX0">High</span></span><span class="TextRun SCXW1 BCX0" style="text-decoration: line-through;"><span class="NormalTextRun SCXW1 BCX0"> not low</span></span><span class="EOP SCXW1 BCX0">&nbsp;</span></p></div><div class="ListContainerWrapper SCXW1 BCX0"><ul class="BulletListStyle1 SCXW1 BCX0" role="list"><li data-leveltext="" data-listid="1" aria-setsize="-1" data-aria-posinset="1" data-aria-level="1" role="listitem" class="OutlineElement Ltr SCXW1 BCX0"><p class="Paragraph SCXW1 BCX0"><span class="TextRun SCXW1 BCX0"><span class="NormalTextRun SCXW1 BCX0">Boots</span></span></p></li></ul></div>`,
    written: "<p><strong>High</strong><s> not low</s>&nbsp;</p><ul><li>Boots</li></ul>",
  },
  {
    program: "Google Docs: text and nested list",
    html: `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-2"><h2 dir="ltr" style="line-height:1.38;"><span style="font-size:16pt;font-weight:400;white-space:pre-wrap;">Tides</span></h2><p dir="ltr" style="line-height:1.38;"><span style="font-weight:700;font-style:italic;text-decoration:none;">High</span><span style="font-weight:400;font-style:normal;"> at </span><a href="https://example.org/six" style="text-decoration:none;"><span style="color:#1155cc;text-decoration:underline;">six</span></a></p><ul style="margin-top:0;"><li dir="ltr" style="list-style-type:disc;" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:400;">Boots</span></p></li><ul style="margin-top:0;"><li dir="ltr" style="list-style-type:circle;" aria-level="2"><p dir="ltr" role="presentation"><span style="text-decoration:line-through;">Old</span></p></li></ul></ul></b>`,
    written:
      '<h2>Tides</h2><p><strong><em>High</em></strong> at <a href="https://example.org/six">six</a></p><ul><li>Boots<ul><li><s>Old</s></li></ul></li></ul>',
  },
  {
    program: "Google Docs: table and picture",
    html: `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-3"><div dir="ltr" style="margin-left:0pt;" align="left"><table style="border:none;border-collapse:collapse;"><colgroup><col width="301" /><col width="301" /></colgroup><tbody><tr style="height:0pt"><td style="border-left:solid #000 1pt;"><p dir="ltr"><span style="font-weight:700;">Day</span></p></td><td><p dir="ltr"><span style="font-weight:400;">Time</span></p></td></tr></tbody></table></div><br /><p dir="ltr"><span style="font-weight:400;"><span style="border:none;display:inline-block;overflow:hidden;width:10px;height:10px;"><img src="${PICTURE}" width="10" height="10" style="margin-left:0px;" alt="The sea" /></span></span></p></b>`,
    written:
      "<table><tbody><tr><td><strong>Day</strong></td><td>Time</td></tr></tbody></table><p><br></p><p></p>[picture]",
  },
  {
    program: "Google Docs: checklist",
    html: `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-4"><ul style="margin-top:0;"><li dir="ltr" role="checkbox" aria-checked="true" style="list-style-type:none;" aria-level="1"><img src="${PICTURE}" width="17.6px" height="17.6px" alt="checked" aria-roledescription="checkbox" /><p dir="ltr" style="display:inline-block;" role="presentation"><span style="text-decoration:line-through;">Boots</span></p></li><li dir="ltr" role="checkbox" aria-checked="false" style="list-style-type:none;" aria-level="1"><img src="${PICTURE}" alt="unchecked" aria-roledescription="checkbox" /><p dir="ltr" role="presentation"><span>Map</span></p></li></ul></b>`,
    written:
      '<ul><li><input type="checkbox" disabled checked> <s>Boots</s></li><li><input type="checkbox" disabled> Map</li></ul>',
  },
  {
    program: "Apple Notes: text and dashed list",
    html: `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><html><head><meta name="Generator" content="Cocoa HTML Writer"><style type="text/css">p.p1 {margin: 0.0px; font: 13.0px 'Helvetica Neue'} span.s1 {text-decoration: line-through}</style></head><body><p class="p1"><b>High</b> at <i>six</i>, see <a href="https://example.org/tides"><span class="s2">the table</span></a></p><p class="p2"><br></p><ul class="ul1"><li class="li1"><span class="s3"></span>Boots<ul class="ul1"><li class="li1"><strike>Old</strike></li></ul></li><li class="li1">Map</li></ul></body></html>`,
    written:
      '<p><strong>High</strong> at <em>six</em>, see <a href="https://example.org/tides">the table</a></p><p></p><ul><li>Boots<ul><li><s>Old</s></li></ul></li><li>Map</li></ul>',
  },
  {
    program: "Apple Notes: table and picture",
    html: `<div><b>Times</b></div><div><object><table cellspacing="0" cellpadding="0" style="border-collapse: collapse; direction: ltr"><tbody><tr><td valign="top" style="border-style: solid; width: 70px"><div>Day</div></td><td valign="top"><div>Time</div></td></tr></tbody></table></object></div><div><br></div><div><img style="max-width: 100%;" src="${PICTURE}" alt="The sea"></div>`,
    written:
      "<p><strong>Times</strong></p><table><tbody><tr><td>Day</td><td>Time</td></tr></tbody></table>[picture]",
  },
  {
    program: "Notion: text, list and tasks",
    html: `<meta charset='utf-8'><h3>Tides</h3>\n<p><strong>High</strong> at <em>six</em>, <del>not seven</del>, see <a href="https://example.org/tides">the table</a></p>\n<ul>\n<li>Boots\n<ul>\n<li>Old</li>\n</ul>\n</li>\n</ul>\n<ul>\n<li><input type="checkbox" checked=""> Map</li>\n</ul>\n<!-- notionvc: 4b1d3c1e-0000-4000-8000-000000000000 -->`,
    written:
      '<h3>Tides</h3><p><strong>High</strong> at <em>six</em>, <del>not seven</del>, see <a href="https://example.org/tides">the table</a></p><ul><li>Boots<ul><li>Old</li></ul></li></ul><ul><li><input type="checkbox" disabled checked> Map</li></ul>',
  },
  {
    program: "Notion: table, code and picture",
    html: `<meta charset='utf-8'><table>\n<thead>\n<tr>\n<th>Day</th>\n<th>Time</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><strong>Monday</strong></td>\n<td>6:00</td>\n</tr>\n</tbody>\n</table>\n<pre><code class="language-css">p { color: red }\n</code></pre>\n<figure><img src="${PICTURE}" alt="The sea"></figure>\n<!-- notionvc: 4b1d3c1e-0000-4000-8000-000000000001 -->`,
    written:
      '<table><tbody><tr><th>Day</th><th>Time</th></tr><tr><td><strong>Monday</strong></td><td>6:00</td></tr></tbody></table><pre><code class="language-css">p { color: red }</code></pre>[picture]',
  },
];
