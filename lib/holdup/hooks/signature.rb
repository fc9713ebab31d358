# frozen_string_literal: true

module Holdup
  module Hooks
    # The parameters of a method as code: for a method that takes the same, and for a call that passes on what
    # was given.
    #
    # Method#parameters has no default values. A positional parameter with a default gets HoldupUnset as its
    # default, and what is unset is not passed on, so that the method's own default counts. Keywords with
    # defaults become one `**`.
    class Signature
      UNSET = Object.new.freeze
      NAME = /\A[[:lower:]_][[:word:]]*\z/
      RESERVED = %w[
        __ENCODING__ __FILE__ __LINE__ alias and begin break case class def defined? do else elsif end ensure
        false for if in module next nil not or redo rescue retry return self super then true undef unless
        until when while yield
      ].freeze
      # Local variables of the hooks' code.
      OURS = "holdup_"

      # @param code [String] parameters of a method: "sql, name = nil, &block"
      # @return [Array<Array(Symbol, Symbol)>] see Method#parameters
      def self.parameters(code)
        Module.new { class_eval("def m(#{code}) = nil", __FILE__, __LINE__) }.instance_method(:m).parameters
      end

      # @param name [Symbol, nil] of a parameter
      # @return [Boolean] whether code can use it
      def self.usable?(name)
        !name.nil? && NAME.match?(name) && !RESERVED.include?(name.name) && !name.start_with?(OURS) &&
          !name.match?(/\A_\d\z/)
      end

      # @param known [Array<Array>] of a method
      # @param expected [Array<Array>]
      # @return [Boolean] whether they are the same; C methods have no names, and a block needs no parameter
      def self.fits?(known, expected)
        known, expected = [known, expected].map do |all|
          all.reject { |type, name| type == :block || (type == :keyrest && name == :**) }
        end
        return false unless known.map(&:first) == expected.map(&:first)
        known.zip(expected).all? { |(_, name), (_, other)| name.nil? || name == :* || name == other }
      end

      # @return [Boolean] whether a method of those parameters takes any arguments
      def self.any?(parameters)
        types = parameters.map(&:first) - [:block]
        types == [:rest] || types == %i[rest keyrest]
      end

      # @param parameters [Array<Array>] see Method#parameters
      # @param block [String, nil] name of the parameter for the block; nil: the method gets none
      # @param keywords_in_rest [Boolean] whether keywords that come in a `*rest` must stay keywords
      # @param flag [Boolean] whether the method can get the flag of `ruby2_keywords` for that
      def initialize(parameters, block: "holdup_block", keywords_in_rest: true, flag: true)
        @parameters = parameters
        @block = block
        read
        @flag = keywords_in_rest && !@rest.nil? && @keywords.empty?
        return if flag || !@flag
        @flag = false
        @keywords = ["**#{OURS}keywords"]
      end

      # @return [String, nil] name of the parameter for the block
      attr_reader :block

      # Whether the method needs `ruby2_keywords`, so that keywords in its `*rest` are passed on as keywords.
      def flag? = @flag

      # @return [String] between the parentheses of `def`
      def definition
        opts = @opt.map { |name| "#{name} = HoldupUnset" }
        rest = ["*#{@rest}"] if @rest
        [*@req, *opts, *rest, *@post, *keywords, *("&#{@block}" if @block)].join(", ")
      end

      # @param target [String] the method to call
      # @return [String] an expression
      def call(target)
        shorter = @opt.each_with_index.map do |name, index|
          "HoldupUnset.equal?(#{name}) ? #{target}(#{arguments(@opt.first(index))}) : "
        end
        rest = ["*#{@rest}"] if @rest
        "(#{shorter.join}#{target}(#{arguments([*@opt, *rest])}))"
      end

      # @return [String] an array of the positional arguments that were given
      def given
        opts = "*[#{@opt.join(", ")}].take_while { |one| !HoldupUnset.equal?(one) }" if @opt.any?
        rest = "*#{@rest}" if @rest
        "[#{[*@req, *opts, *rest, *@post].join(", ")}]"
      end

      # @return [String] the positional argument at that place, one that is always given
      def positional(index)
        first = [*@req, *@opt]
        (@rest && index >= first.size) ? "#{@rest}[#{index - first.size}]" : [*first, *@post].fetch(index)
      end

      private

      def arguments(optional)
        [*@req, *optional, *@post, *keywords(passed: true), *("&#{@block}" if @block)].join(", ")
      end

      def keywords(passed: false)
        all = passed ? @keywords - ["**nil"] : @keywords
        all.map do |name|
          next name if name.start_with?("*")
          passed ? "#{name}: #{name}" : "#{name}:"
        end
      end

      def read
        @names = [@block&.to_sym]
        first_optional = @parameters.index { |type, _| type == :opt || type == :rest } || @parameters.size
        @req, @post, @opt = [], [], []
        @parameters.each_with_index do |(type, name), index|
          case type
          when :req then ((index < first_optional) ? @req : @post) << local(name, index)
          when :opt then @opt << local(name, index)
          when :rest then @rest = local(name, index)
          end
        end
        @keywords = read_keywords
      end

      # A keyword that is a reserved word can't be read as a variable.
      def read_keywords
        of_type = ->(type) { @parameters.select { |one, _| one == type }.map(&:last) }
        required = of_type.call(:keyreq)
        named = required.all? { |name| usable?(name) }
        @names.concat(required) if named
        all = named ? required.map(&:name) : []
        all << "**nil" if @parameters.assoc(:nokey)
        all << "**#{OURS}keywords" if open_keywords? || !named
        all
      end

      # A method with the flag of `ruby2_keywords` has "**" as the name of its keywords, and takes none.
      def open_keywords?
        return true if @parameters.assoc(:key)
        keywords = @parameters.assoc(:keyrest) or return false
        rest = @parameters.assoc(:rest)
        !(keywords.last == :** && rest && rest.last != :* && !@parameters.assoc(:keyreq))
      end

      def local(name, place)
        return "#{OURS}#{place}" unless usable?(name)
        @names << name
        name.name
      end

      def usable?(name) = Signature.usable?(name) && !@names.include?(name)
    end

    # Parameters that the hook's code knows by name, with their defaults.
    class KnownSignature
      # @param code [String] "sql, name = nil"
      # @param block [String, nil] see Signature
      # @param keywords_in_rest [Boolean] see Signature
      # @param flag [Boolean] see Signature
      def initialize(code, block: "holdup_block", keywords_in_rest: true, flag: true)
        types = Signature.parameters(code).map(&:first)
        @flag = keywords_in_rest && types.include?(:rest) && types.intersection(%i[key keyreq keyrest]).empty?
        code = "#{code}, **holdup_keywords" if @flag && !flag
        @flag &&= flag
        @code = code
        @parameters = Signature.parameters(code)
        @block = block
      end

      # @return [String, nil] name of the parameter for the block
      attr_reader :block

      def flag? = @flag

      def definition = [@code, ("&#{@block}" if @block)].compact.reject(&:empty?).join(", ")

      # @return [String] an expression
      def call(target)
        arguments = @parameters.map { |type, name| argument(type, name) }
        arguments << "&#{@block}" if @block
        "#{target}(#{arguments.join(", ")})"
      end

      # @return [String] an array
      def given
        positional = @parameters.filter_map do |type, name|
          argument(type, name) if %i[req opt rest].include?(type)
        end
        "[#{positional.join(", ")}]"
      end

      # @return [String] the positional argument at that place
      def positional(index) = @parameters.fetch(index).last.name

      private

      def argument(type, name)
        case type
        when :rest then "*#{name}"
        when :keyrest then "**#{name}"
        when :key, :keyreq then "#{name}: #{name}"
        else name.name
        end
      end
    end
  end
end
