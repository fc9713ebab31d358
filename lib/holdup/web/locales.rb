# frozen_string_literal: true

require_relative "locales/errors_ja"

module Holdup
  class Web
    # Every sentence, by language: a table for each subject.
    module Locales
    end
  end
end
