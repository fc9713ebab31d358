# frozen_string_literal: true

# Loaded by YARD (.yardopts), which knows Struct.new as a superclass, but not Data.define.
YARD::Handlers::Ruby::ClassHandler.prepend(Module.new do
  private

  def parse_superclass(superclass)
    superclass&.source.to_s.start_with?("Data.define(") ? "Data" : super
  end
end)
