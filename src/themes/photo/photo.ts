import css from "./photo.css" with { type: "text" };

export const photo = {
  css,
  accent: "#9b2c4e",
  imageSizes: "(min-width: 68rem) 64rem, 100vw",
  covers: {
    firstSizes: "(min-width: 62rem) 46rem, (min-width: 40rem) 45vw, 100vw",
    sizes: "(min-width: 62rem) 18rem, (min-width: 40rem) 45vw, 100vw",
  },
};
