# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class Check
    end

    # The figures of each endpoint that a check compares with, in a file that is committed beside the code.
    class Check::Baseline
      SCHEMA = 1
      KIND = "holdup check"

      # @return [Endpoints::Reference] for which p95 was predicted
      attr_reader :load

      # @return [Hash{String => Endpoints::Figures}]
      attr_reader :endpoints

      # @param path [String]
      # @return [Baseline]
      # @raise [Holdup::Error] it can't be read, or is none
      def self.open(path)
        hash = JSON.parse(File.read(path), symbolize_names: true)
        raise damaged(path) unless hash.is_a?(Hash) && hash.values_at(:kind, :schema) == [KIND, SCHEMA]
        new(Endpoints::Reference.new(**hash.fetch(:load)),
          hash.fetch(:endpoints).to_h { |name, figures| [name.to_s, Endpoints::Figures.new(**figures)] })
      rescue JSON::ParserError, KeyError, ArgumentError, TypeError
        raise damaged(path)
      rescue SystemCallError => error
        raise Error.new("the baseline #{path} can't be read (#{error.message})", "make it with --write")
      end

      def self.damaged(path)
        Error.new("#{path} is no baseline of this version", "make it anew with --write")
      end
      private_class_method :damaged

      # @param load [Endpoints::Reference]
      # @param endpoints [Hash{String => Endpoints::Figures}]
      def initialize(load, endpoints)
        @load = load
        @endpoints = endpoints
      end

      # @param path [String]
      # @return [void]
      # @raise [Holdup::Error]
      def write(path)
        File.write(path,
          "#{JSON.pretty_generate(kind: KIND, schema: SCHEMA, load: load.to_h,
            endpoints: endpoints.transform_values(&:to_h))}\n")
      rescue SystemCallError => error
        raise Error.new("the baseline can't be written to #{path} (#{error.message})",
          "name another file with --baseline")
      end
    end
  end
end
