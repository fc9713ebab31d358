# frozen_string_literal: true

module Holdup
  class Web
    class Captures
      # Links to the files of a capture. `formats`: {String => String}
      Downloads = Data.define(:title, :id, :formats) do
        def view = "downloads"
      end
    end
  end
end
