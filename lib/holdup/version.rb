# frozen_string_literal: true

module Holdup
  VERSION = "0.1.0"
  # Folder of the in-app half that this process has loaded. Files of another folder must not be mixed in.
  FOLDER = __dir__
end
