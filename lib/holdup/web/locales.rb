# frozen_string_literal: true

require_relative "locales/captures_en"
require_relative "locales/captures_ja"
require_relative "locales/charts_en"
require_relative "locales/charts_ja"
require_relative "locales/en"
require_relative "locales/errors_ja"
require_relative "locales/ja"

module Holdup
  class Web
    # Every sentence, by language: a table for each subject.
    module Locales
    end
  end
end
