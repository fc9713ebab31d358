# frozen_string_literal: true

# Makes the tables and the same rows for every run.
require_relative "../config/environment"
require_relative "schema"
require_relative "seeds"
