# frozen_string_literal: true

require_relative "types"

module Holdup
  module ConfigurationKeys
    module Types
      # Who may see the dashboard: a user with a password, whom a block lets in, or everybody.
      WebAuth = Data.define do
        def expected
          '{username: "ops", password: "..."}, something that answers call(env), or :none (in the environment user:password, or none)'
        end

        # What can't be read is not repeated: it may be half of a password.
        def parse(text)
          return :none if text == "none"
          username, password = text.split(":", 2)
          password ? {username:, password:} : :unreadable
        end

        def valid?(value)
          value == :none || value.respond_to?(:call) || (value.is_a?(Hash) && credentials?(value))
        end

        private

        def credentials?(value)
          value.keys.sort == %i[password
            username] && value.values.all? { |text| text.is_a?(String) && !text.empty? }
        end
      end
    end
  end
end
