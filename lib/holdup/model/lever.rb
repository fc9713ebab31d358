# frozen_string_literal: true

module Holdup
  # A server's setting that a user can change, and how: as an adapter knows it, as a segment's profile and a
  # sample of a process keep it, and as the doctor and advice read it. It has no sentence: `how` is the key of
  # one in the locales (`lever_<how>`).
  #
  # - `name`: threads, processes, concurrency, max_io_threads, time_slice ...; `value`: what it is now
  # - `live`: whether it can change without a restart
  # - `write`: what to write or run, in the server's own language, with N for the value; nil: see `how`
  # - `how`: what else to do, or the whole of it; nil: nothing
  # - `facts`: {String => scalar} for that sentence
  # - `where`: a SettingPlace; nil: not found
  Lever = Data.define(:name, :value, :live, :write, :how, :facts, :where) do
    # @param profile [Hash{String, Symbol => Object}] of a process: its keys begin with "lever."
    # @return [Hash{String => Lever}] by name
    def self.all(profile)
      levers = profile.to_h { |key, value| [key.to_s, value] }
      levers = levers.select { |key, _| key.start_with?(self::PREFIX) }
      names = levers.keys.filter_map { |key| key[self::FACT, 1] }.uniq
      names.to_h { |name| [name, parse(name, levers)] }
    end

    def self.parse(name, levers)
      begins = "#{self::PREFIX}#{name}."
      own = levers.select { |key, _| key.start_with?(begins) }
      own = own.transform_keys { |key| key.delete_prefix(begins) }
      facts = own.select { |key, _| key.start_with?(self::HOW) }
      new(name:, value: own["value"], live: own["live"], write: own["write"], how: own["how"],
        where: own["where"], facts: facts.transform_keys { |key| key.delete_prefix(self::HOW) })
    end
    private_class_method :parse

    def initialize(name:, value:, write: nil, how: nil, facts: {}, live: false, where: nil)
      super
    end

    # @return [Hash{String => Object}] flat, for a segment's profile
    def to_profile
      own = {"value" => value, "live" => live, "write" => write, "how" => how&.to_s, "where" => where}.compact
      own = own.merge(facts.transform_keys { |key| "#{self.class::HOW}#{key}" })
      own.transform_keys { |key| "#{self.class::PREFIX}#{name}.#{key}" }
    end
  end

  Lever::PREFIX = "lever."
  Lever::HOW = "how."
  Lever::FACT = /\Alever\.(.+?)\.(?:value|live|write|how|where)\z/

  # Where a setting is written: a line of a file ("config/puma.rb:12", as it is), a variable of the
  # environment, or the command line.
  module SettingPlace
    COMMAND_LINE = "ARGV"
    VARIABLE = /\AENV\[(\w+)\]\z/

    module_function

    def variable(name) = "ENV[#{name}]"

    # @return [String, nil] its name
    def variable_of(place) = place.to_s[VARIABLE, 1]

    def command_line?(place) = place == COMMAND_LINE
  end
end
