import { expect, test } from "bun:test";
import { contentTypeOf, detectFormat } from "../../src/media/files/file-formats-and-limits";
import { tidyFilename } from "../../src/media/uploads";
import { firstBox, matroskaFile, picture } from "./samples";

test("detects the type from the first bytes", async () => {
  const samples = {
    "image/jpeg": await picture.jpeg(),
    "image/png": await picture.png(),
    "image/gif": await picture.gif(),
    "image/webp": await picture.webp(),
    "image/avif": await picture.avif(),
    "video/mp4": firstBox("isom", ["isom", "mp41"]),
    "video/quicktime": firstBox("qt  ", ["qt  "]),
    "video/webm": matroskaFile("webm"),
  };
  for (const [type, bytes] of Object.entries(samples))
    expect(detectFormat(bytes.subarray(0, 512))?.contentType).toBe(type);
});

test("detects the type of files that share a container by their brands", () => {
  const detectBrand = (major: string, ...others: string[]) =>
    detectFormat(firstBox(major, others))?.name ?? null;
  expect(detectBrand("avis", "avif")).toBe("avif");
  expect(detectBrand("mif1", "mif1", "avif")).toBe("avif");
  expect(detectBrand("mp42", "isom")).toBe("mp4");
  expect(detectBrand("M4V ", "isom")).toBe("mp4");
  expect(detectBrand("3gp4", "isom")).toBe("mp4");

  expect(detectBrand("heic", "mif1", "heic")).toBe("heic");
  expect(detectBrand("mif1", "heic")).toBe("heic");
  expect(detectBrand("hevc", "isom")).toBeNull();
  expect(detectBrand("M4A ", "isom", "mp42")).toBeNull();
  expect(detectBrand("crx ", "isom")).toBeNull();
  expect(detectBrand("3gp4", "3gp4")).toBeNull();
  expect(detectBrand("isob")).toBe("mp4");
});

test("other content is rejected", () => {
  const others = [
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "<?xml version='1.0'?><svg/>",
    "%PDF-1.7",
    "BM",
    "MM\0*",
    "",
    "\0",
    "RIFF\0\0\0\0WAVE",
    "GIF88a",
  ];
  for (const text of others) expect(detectFormat(Buffer.from(text, "latin1"))).toBeNull();
  expect(detectFormat(matroskaFile("matroska"))).toBeNull();
  expect(detectFormat(Buffer.from("\xff\xff\xff\xffftyp", "latin1"))).toBeNull();
});

test("only extensions of accepted types are served", () => {
  expect(contentTypeOf("a.JPG")).toBe("image/jpeg");
  expect(contentTypeOf("a.mov")).toBe("video/quicktime");
  for (const name of ["a.svg", "a.html", "jpg", ".original", "a", ""])
    expect(contentTypeOf(name)).toBeUndefined();
});

test("a file name keeps letters, digits and safe characters", () => {
  const jpeg = detectFormat(Buffer.from([0xff, 0xd8, 0xff]));
  if (!jpeg) throw new Error("no JPEG");
  const tidied = {
    "cat.jpg": "cat.jpg",
    "CAT.JPEG": "CAT.JPEG",
    "cat.heic": "cat.jpg",
    "evil.svg": "evil.jpg",
    cat: "cat.jpg",
    "": "image.jpg",
    ".jpg": "image.jpg",
    "..": "image.jpg",
    "../../etc/passwd": "passwd.jpg",
    "C:\\Photos\\cat.jpg": "cat.jpg",
    ".hidden.jpg": "hidden.jpg",
    "a\0b\u001a\u202ec\nd.jpg": "abcd.jpg",
    "lone \ud800.jpg": "lone.jpg",
    "e\u0301te\u0301.jpg": "été.jpg",
    "two  cats & a 'dog'?.jpg": "two cats & a 'dog'?.jpg",
  };
  for (const [sent, kept] of Object.entries(tidied)) expect(tidyFilename(sent, jpeg)).toBe(kept);
});

test("a long file name is cut between characters, and keeps its extension", () => {
  const jpeg = detectFormat(Buffer.from([0xff, 0xd8, 0xff]));
  if (!jpeg) throw new Error("no JPEG");
  const name = tidyFilename(`${"猫".repeat(100)}.jpg`, jpeg);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150);
  expect(name).toMatch(/^猫{48}\.jpg$/);
});
